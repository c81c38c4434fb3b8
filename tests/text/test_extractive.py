"""The sentences that matter most."""

from __future__ import annotations

import pytest

from biblicus_context.text.compactors import CompactionRequest, ExtractiveCompactor
from biblicus_context.text.counters import Counters, default_counter
from biblicus_context.text.cutting.sentences import sentences
from tests.pace import within

WORDS = Counters().get("whitespace")
SHOP = (
    "Welcome to our shop. We sell tea and coffee. Shipping takes three days.\n\n"
    "Refunds are paid within 14 days. We refund the full price. The policies are printed.\n\n"
    "Write to Dr. Ames. She answers on Mondays."
)
JAPANESE = "猫は魚が好きです。犬は散歩が好きです。返金は十四日以内に行われます。鳥は空を飛びます。"


def compact(text: str, max_tokens: int, query: str = "") -> str:
    """What is kept of a text, counted in words."""
    return ExtractiveCompactor().compact(CompactionRequest(text, max_tokens, query, WORDS))


@pytest.mark.parametrize(
    ("query", "max_tokens", "expected"),
    [
        ("When are refunds paid?", 6, "Refunds are paid within 14 days."),
        ("refund", 11, "Refunds are paid within 14 days. We refund the full price."),
        ("REFUND of the PRICE", 5, "We refund the full price."),
        ("Which policy?", 4, "The policies are printed."),
        ("who is Ames", 4, "Write to Dr. Ames."),
        ("shipping refunds", 10, "Shipping takes three days.\n\nRefunds are paid within 14 days."),
        ("tea, and who is Ames?", 10, "We sell tea and coffee.\n\nWrite to Dr. Ames."),
        ("When are refunds paid?", 3, "Refunds are paid"),
    ],
)
def test_what_answers_the_question_is_kept(query: str, max_tokens: int, expected: str) -> None:
    assert compact(SHOP, max_tokens, query) == expected


def test_a_script_without_spaces_is_searched_too() -> None:
    wanted = "返金は十四日以内に行われます。"
    room = default_counter().count(wanted)

    assert ExtractiveCompactor().compact(CompactionRequest(JAPANESE, room, "返金")) == wanted


def test_without_a_question_the_most_central_sentence_is_kept() -> None:
    text = (
        "Hello there. The token budget is shared by all packs. "
        "Each pack has a share of the token budget. Tea is nice. Goodbye."
    )

    assert compact(text, 10) in {
        "The token budget is shared by all packs.",
        "Each pack has a share of the token budget.",
    }
    assert compact(text, 10) == compact(text, 10, "?!")


def test_a_question_that_nothing_answers_is_no_question() -> None:
    assert compact(SHOP, 12, "quantum chromodynamics") == compact(SHOP, 12)


def test_sentences_stay_in_order_and_apart_as_they_were() -> None:
    kept = compact(SHOP, 24, "refunds, tea and Mondays")

    end = 0
    for sentence in sentences(kept):
        position = SHOP.index(sentence.strip(), end)
        end = position + len(sentence.strip())
    assert "price.\n\n" in kept or "days.\n\n" in kept


def test_a_sentence_that_is_repeated_is_kept_once() -> None:
    text = "Refunds take 14 days. Refunds take 14 days. Tea is nice. Refunds take 14 days."

    assert compact(text, 9, "refunds").count("Refunds") == 1


def test_no_odd_fragment_fills_what_the_answer_leaves() -> None:
    text = "Refunds are paid within 14 days. A very long sentence that says no more of it. Yes. No."

    assert compact(text, 7, "refunds") == "Refunds are paid within 14 days."


def test_ties_go_to_the_earlier_sentence() -> None:
    text = "Tea one. Tea two. Tea six. Tea ten."

    assert compact(text, 4, "tea") == "Tea one. Tea two."


def test_what_is_kept_fills_most_of_the_budget() -> None:
    text = " ".join(
        f"Rule {number} says that refunds number {number} are paid." for number in range(500)
    )
    counter = default_counter()

    kept = ExtractiveCompactor().compact(CompactionRequest(text, 1000, "refunds paid", counter))

    assert 980 <= counter.count(kept) <= 1000


@pytest.mark.parametrize("query", ["", "word17 is"])
@pytest.mark.parametrize("between", [" ", "\n\n", "\n- "])
@pytest.mark.parametrize("max_tokens", [300, 100_000])
def test_many_different_sentences_take_bounded_time(
    query: str, between: str, max_tokens: int
) -> None:
    text = between.join(f"Word{number} is a{number}" for number in range(10_000))
    with within(3):
        kept = ExtractiveCompactor().compact(CompactionRequest(text, max_tokens, query))
    assert default_counter().count(kept) <= max_tokens
