"""A fitted pack is within its budget, and no smaller than that takes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError

from biblicus_context.errors import UnknownNameError
from biblicus_context.retrieval.packs.builders import ContextPackPolicy
from biblicus_context.retrieval.packs.fitters import (
    CharacterBudget,
    TokenBudget,
    TokenCounter,
    count_tokens,
    fit_context_pack_to_character_budget,
    fit_context_pack_to_token_budget,
)
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from tests.pace import within
from tests.retrieval import sparingly

COUNTERS = ["o200k_base", "whitespace", "naive-whitespace"]

texts = st.lists(
    st.text(min_size=1, max_size=30)
    | st.sampled_from(["word", "two words", "a. b.", "x\n\n", " ", "<|endoftext|>"]),
    max_size=12,
)

joins = st.sampled_from(["\n\n", "\n", " ", "", "---", "\n\n---\n\n"])


def pack_of(row: list[str]) -> ContextPack:
    blocks = [
        ContextPackBlock(evidence_item_id=f"e{place}", text=text, metadata={"place": [place]})
        for place, text in enumerate(row)
    ]
    return ContextPack(text="\n\n".join(row), evidence_count=len(row), blocks=blocks)


def by_tokens(
    pack: ContextPack, maximum: int, counter: str, join_with: str = "\n\n"
) -> ContextPack:
    return fit_context_pack_to_token_budget(
        pack,
        policy=ContextPackPolicy(join_with=join_with),
        token_budget=TokenBudget(max_tokens=maximum),
        token_counter=TokenCounter(tokenizer_id=counter),
    )


def by_characters(pack: ContextPack, maximum: int, join_with: str = "\n\n") -> ContextPack:
    return fit_context_pack_to_character_budget(
        pack,
        policy=ContextPackPolicy(join_with=join_with),
        character_budget=CharacterBudget(max_characters=maximum),
    )


def kept(pack: ContextPack) -> list[str]:
    return [block.text for block in pack.blocks]


@given(texts, joins, st.integers(1, 60), st.sampled_from(COUNTERS))
def test_a_fitted_pack_never_exceeds_its_tokens(
    row: list[str], join_with: str, maximum: int, counter: str
) -> None:
    fitted = by_tokens(pack_of(row), maximum, counter, join_with)
    assert count_tokens(fitted.text, tokenizer_id=counter) <= maximum
    assert fitted.evidence_count == len(fitted.blocks)
    assert fitted.text == join_with.join(kept(fitted))


@given(texts, joins, st.integers(1, 90))
def test_a_fitted_pack_never_exceeds_its_characters(
    row: list[str], join_with: str, maximum: int
) -> None:
    fitted = by_characters(pack_of(row), maximum, join_with)
    assert len(fitted.text) <= maximum
    assert fitted.text == join_with.join(kept(fitted))


@sparingly
@given(texts, joins, st.integers(1, 90))
def test_what_is_kept_is_the_longest_start_of_the_blocks_that_can_fit_at_all(
    row: list[str], join_with: str, maximum: int
) -> None:
    possible = [text for text in row if len(text) <= maximum]
    number = max(
        number
        for number in range(len(possible) + 1)
        if len(join_with.join(possible[:number])) <= maximum
    )
    assert kept(by_characters(pack_of(row), maximum, join_with)) == possible[:number]


@sparingly
@given(texts, st.sampled_from(COUNTERS))
def test_a_pack_that_fits_is_kept_whole(row: list[str], counter: str) -> None:
    pack = pack_of(row)
    enough = max(1, count_tokens("\n\n".join(row), tokenizer_id=counter))
    assert kept(by_tokens(pack, enough, counter)) == row


@sparingly
@given(texts, joins, st.integers(1, 60))
def test_the_pack_is_not_changed_and_not_returned(
    row: list[str], join_with: str, maximum: int
) -> None:
    pack = pack_of(row)
    before = pack.model_copy(deep=True)
    fitted = by_tokens(pack, maximum, "o200k_base", join_with)
    for block in fitted.blocks:
        assert block.metadata is not None
        block.metadata["place"].append("changed")  # type: ignore[attr-defined]
    assert pack == before


def test_a_block_larger_than_the_budget_does_not_empty_the_pack() -> None:
    pack = pack_of(["word " * 50, "small one", "word " * 60, "small two"])
    assert kept(by_tokens(pack, 5, "o200k_base")) == ["small one", "small two"]
    assert kept(by_characters(pack, 25)) == ["small one", "small two"]


def test_blocks_that_could_fit_are_dropped_from_the_end() -> None:
    assert kept(by_tokens(pack_of(["a b c", "d e f g", "h"]), 6, "whitespace")) == ["a b c"]


def test_separators_are_counted() -> None:
    assert kept(by_characters(pack_of(["ab", "cd"]), 5)) == ["ab"]
    assert kept(by_characters(pack_of(["ab", "cd"]), 6)) == ["ab", "cd"]


def test_nothing_fits_into_less_than_any_block_needs() -> None:
    assert by_tokens(pack_of(["a b", "c d"]), 1, "whitespace") == ContextPack(
        text="", evidence_count=0
    )


@pytest.mark.parametrize(("maximum", "text"), [(2, "two words"), (1, "")])
def test_a_pack_without_blocks_is_kept_whole_or_not_at_all(maximum: int, text: str) -> None:
    pack = ContextPack(text="two words", evidence_count=1)
    assert by_tokens(pack, maximum, "whitespace").text == text


def test_tokens_are_those_of_o200k_base_unless_a_counter_is_named() -> None:
    fitted = fit_context_pack_to_token_budget(
        pack_of(["Donaudampfschifffahrt", "ship"]),
        policy=ContextPackPolicy(),
        token_budget=TokenBudget(max_tokens=2),
    )
    assert kept(fitted) == ["ship"]


@pytest.mark.parametrize(
    ("counter", "tokens"), [("o200k_base", 6), ("whitespace", 3), ("naive-whitespace", 3)]
)
def test_a_text_is_counted_by_the_named_counter(counter: str, tokens: int) -> None:
    assert count_tokens("one, two  three.", tokenizer_id=counter) == tokens


def test_an_unknown_counter_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'whitespace'") as caught:
        count_tokens("text", tokenizer_id="whitespac")
    assert caught.value.name == "whitespac"


@pytest.mark.parametrize(
    ("model", "field"), [(TokenBudget, "max_tokens"), (CharacterBudget, "max_characters")]
)
def test_a_budget_is_at_least_one(model: Any, field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        model(**{field: 0})


def test_ten_thousand_blocks_are_fitted_at_once() -> None:
    pack = pack_of([f"Paragraph {place} has a few words of its own." for place in range(10_000)])
    whole = count_tokens(pack.text, tokenizer_id="o200k_base")
    with within(5):
        fitted = by_tokens(pack, whole // 2, "o200k_base")
    assert count_tokens(fitted.text, tokenizer_id="o200k_base") > whole // 2 - 20
