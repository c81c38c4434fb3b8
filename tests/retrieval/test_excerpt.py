"""An excerpt shows the words of a query in their place, and never more tokens than allowed."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.excerpt import excerpt, occurrences
from biblicus_context.text.counters import default_counter
from tests.pace import within
from tests.retrieval import sparingly

COUNTER = default_counter()
FILLER = "Nothing happens in this sentence at all. " * 40
MARKS = ("<<<", ">>>")


def short(text: str, query: str, most: int = 20) -> str:
    return excerpt(text, query_terms(query), most, COUNTER, MARKS)


def test_it_is_the_part_with_the_most_words_of_the_query():
    text = f"A ship. {FILLER}We ship lamps on Friday. {FILLER}Friday again."
    assert "We <<<ship>>> <<<lamps>>> on <<<Friday>>>." in short(text, "Friday: ship lamps?")


def test_a_cut_shows_at_both_ends_and_falls_between_words():
    found = short(f"{FILLER}The lamp is green. {FILLER}", "lamp")
    assert found.startswith("…")
    assert found.endswith("…")
    assert set(found.strip("…").replace("<<<", "").replace(">>>", "").split()) <= {
        *f"{FILLER} The lamp is green.".split()
    }


def test_a_short_text_is_whole_and_marked():
    assert short("We ship on Friday.", "shipping") == "We <<<ship>>> on Friday."


def test_without_a_word_of_the_query_it_is_the_start():
    assert FILLER.startswith(short(FILLER, "lamp").rstrip("…"))


def test_marks_can_be_left_out():
    assert excerpt("We ship on Friday.", ["ship"], 20, COUNTER) == "We ship on Friday."


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Das Café schließt", "cafe", "Das <<<Café>>> schließt"),
        ("私は東京都に住んでいます", "東京都", "私は<<<東京都>>>に住んでいます"),
        ("It's Ada's stop, she stopped, stopping", "stop", "It's Ada's <<<stop>>>, she <<<stopped>>>, <<<stopping>>>"),
        ("class and classes, boss", "class", "<<<class>>> and <<<classes>>>, boss"),
        ("a snake_case name", "snake", "a <<<snake>>>_case name"),
    ],
)  # fmt: skip
def test_forms_of_a_word_are_marked(text: str, query: str, expected: str):
    assert short(text, query, 60) == expected


@sparingly
@given(
    st.text() | st.lists(st.sampled_from(["lamp ", "lamps, ", "x", "東京", "\n", "é", "👩‍👩‍👧 "])).map("".join),
    st.text(max_size=40) | st.just("lamp 東京"),
    st.integers(40, 80),
)  # fmt: skip
def test_it_never_has_more_tokens_and_is_the_text_but_for_marks(text: str, query: str, most: int):
    found = short(text, query, most)
    assert COUNTER.count(found) <= most
    if "<<<" not in text and ">>>" not in text and "…" not in text:
        assert found.replace("<<<", "").replace(">>>", "").strip("…") in text
    assert bool(found) == bool(text)


@sparingly
@given(st.text(), st.lists(st.text(min_size=1, max_size=5)))
def test_occurrences_are_in_order_and_do_not_overlap(text: str, words: list[str]):
    ends = 0
    for each in occurrences(text, query_terms(" ".join(words))):
        assert ends <= each.start < each.end <= len(text)
        ends = each.end


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "lamp " * 200_000, "東" * 500_000, "'" * 500_000]
)
def test_hostile_texts_take_bounded_time(text: str):
    with within(2):
        assert COUNTER.count(short(text, "lamp 東東", 40)) <= 40
