"""A pack of sections keeps what is required, then what matters most, within every budget."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import BudgetError, UnknownNameError
from biblicus_context.retrieval.packs.block_builder import (
    ContextBlock,
    ContextBlockBuildRequest,
    ContextBlockBuildResult,
    ContextSectionBudget,
    build_context_pack_from_blocks,
)
from biblicus_context.retrieval.packs.fitters import TokenCounter, count_tokens
from tests.retrieval import sparingly

TEXTS = [
    "one",
    "one two",
    " three four ",
    " \n",
    "a. b.\n\nc",
    "ünï cödé",
    "x" * 40,
    "<|im_end|>",
    "\ud800",
]
POOL = [
    ContextBlock(
        block_id=f"{text[:3]}{priority}",
        section=section,
        text=text,
        required=required,
        priority=priority,
        metadata={"k": ["v"]} if required else None,
    )
    for text, section, required, priority in product(
        TEXTS, ["rules", "memory", "news"], [False, False, False, True], [-1, 0, 2]
    )
]

blocks = st.lists(st.sampled_from(POOL), max_size=10)
requests = st.builds(
    ContextBlockBuildRequest,
    blocks=blocks,
    join_with=st.sampled_from(["\n\n", "\n", " ", ""]),
    max_tokens=st.none() | st.integers(1, 40),
    max_characters=st.none() | st.integers(1, 120),
    token_counter=st.sampled_from(["o200k_base", "whitespace"]).map(
        lambda name: TokenCounter(tokenizer_id=name)
    ),
)


def block(name: str, text: str = "one two three", **fields: Any) -> ContextBlock:
    return ContextBlock(block_id=name, section=fields.pop("section", "s"), text=text, **fields)


def build(row: list[ContextBlock], **limits: Any) -> ContextBlockBuildResult:
    counter = TokenCounter(tokenizer_id=limits.pop("counter", "whitespace"))
    return build_context_pack_from_blocks(
        ContextBlockBuildRequest(blocks=row, token_counter=counter, **limits)
    )


def names(row: list[ContextBlock]) -> list[str]:
    return [one.block_id for one in row]


def result_or_error(request: ContextBlockBuildRequest) -> ContextBlockBuildResult | BudgetError:
    try:
        return build_context_pack_from_blocks(request)
    except BudgetError as error:
        return error


@given(requests)
def test_a_pack_is_within_its_budgets_or_required_blocks_are_named_as_the_reason(
    request: ContextBlockBuildRequest,
) -> None:
    result = result_or_error(request)
    counter = request.token_counter.tokenizer_id
    if isinstance(result, BudgetError):
        required = {one.block_id for one in request.blocks if one.required and one.text.strip()}
        assert result.parts.keys() == required
        assert result.needed is not None
        assert result.budget is not None
        assert result.needed > result.budget
        return
    assert result.total_tokens == count_tokens(result.text, tokenizer_id=counter)
    assert result.total_tokens <= (request.max_tokens or result.total_tokens)
    assert len(result.text) == result.total_characters
    assert result.total_characters <= (request.max_characters or result.total_characters)


@sparingly
@given(requests)
def test_every_block_with_text_is_included_or_dropped_once(
    request: ContextBlockBuildRequest,
) -> None:
    result = result_or_error(request)
    if isinstance(result, BudgetError):
        return
    offered = [one.model_copy(update={"text": one.text.strip()}) for one in request.blocks]
    offered = [one for one in offered if one.text]
    accounted = [*result.included_blocks, *result.dropped_blocks]
    assert sorted(map(repr, accounted)) == sorted(map(repr, offered))
    remaining = iter(offered)
    assert all(one in remaining for one in result.included_blocks)
    assert result.text == request.join_with.join(one.text for one in result.included_blocks)


@sparingly
@given(requests)
def test_a_required_block_is_never_dropped(request: ContextBlockBuildRequest) -> None:
    result = result_or_error(request)
    if not isinstance(result, BudgetError):
        assert not any(one.required for one in result.dropped_blocks)


@sparingly
@given(requests)
def test_the_request_is_not_changed(request: ContextBlockBuildRequest) -> None:
    before = request.model_copy(deep=True)
    result = result_or_error(request)
    if not isinstance(result, BudgetError):
        for one in result.included_blocks + result.dropped_blocks:
            if one.metadata:
                one.metadata["k"].append("changed")  # type: ignore[attr-defined]
    assert request == before


@sparingly
@given(requests, st.integers(1, 60))
def test_a_block_that_could_fit_is_dropped_only_when_all_less_important_ones_are(
    request: ContextBlockBuildRequest, maximum: int
) -> None:
    limited = request.model_copy(update={"max_tokens": None, "max_characters": maximum})
    result = result_or_error(limited)
    if isinstance(result, BudgetError):
        return
    required = [one.text.strip() for one in limited.blocks if one.required and one.text.strip()]
    room = maximum - len(limited.join_with.join(required))
    could_fit = [one for one in result.dropped_blocks if len(one.text) <= room]
    droppable = [one for one in result.included_blocks if not one.required]
    if could_fit and droppable:
        assert max(one.priority for one in could_fit) <= min(one.priority for one in droppable)


def test_without_a_budget_everything_is_included_in_order() -> None:
    result = build([block("a", " one "), block("b", "two")], join_with="|")
    assert (result.text, names(result.included_blocks)) == ("one|two", ["a", "b"])
    assert (result.max_tokens, result.max_characters, result.dropped_blocks) == (None, None, [])


def test_blank_blocks_are_ignored() -> None:
    result = build([block("a", " \n "), block("b", "two")], max_tokens=5)
    assert names(result.included_blocks + result.dropped_blocks) == ["b"]


def test_the_lowest_priority_goes_first_and_among_equals_the_last() -> None:
    row = [block("a", priority=1), block("b"), block("c"), block("d", priority=2), block("e")]
    result = build(row, max_tokens=6)
    assert names(result.included_blocks) == ["a", "d"]
    assert names(result.dropped_blocks) == ["e", "c", "b"]


def test_a_block_larger_than_the_room_goes_before_any_other() -> None:
    row = [
        block("law", "one two", required=True),
        block("book", "word " * 5, priority=9),
        block("note", "one two"),
    ]
    assert names(build(row, max_tokens=6).included_blocks) == ["law", "note"]


def test_required_blocks_that_exceed_the_budget_are_named_with_their_sizes() -> None:
    row = [block("law", "one two", required=True), block("rule", required=True), block("note")]
    with pytest.raises(BudgetError, match=r"law 2, rule 3") as caught:
        build(row, max_tokens=4)
    assert caught.value.parts == {"law": 2, "rule": 3}
    assert (caught.value.budget, caught.value.needed) == (4, 5)


def test_required_characters_count_as_well() -> None:
    with pytest.raises(BudgetError, match="the pack may have 5 characters") as caught:
        build([block("law", "123456", required=True)], max_characters=5, max_tokens=50)
    assert caught.value.parts == {"law": 6}


def test_required_blocks_of_one_name_are_added_up() -> None:
    with pytest.raises(BudgetError) as caught:
        build([block("law", "one", required=True)] * 3, max_tokens=2)
    assert caught.value.parts == {"law": 3}


def test_a_section_is_held_to_its_share() -> None:
    row = [block("n1", section="news"), block("n2", section="news"), block("m", section="memory")]
    result = build(
        row, max_tokens=10, section_budgets=[ContextSectionBudget(section="news", share=0.5)]
    )
    assert names(result.included_blocks) == ["n1", "m"]
    assert result.section_token_counts == {"news": 3, "memory": 3}


@sparingly
@given(
    blocks,
    st.integers(1, 40),
    st.floats(min_value=0.01, max_value=1),
    st.sampled_from(["o200k_base", "whitespace"]),
)
def test_no_section_exceeds_its_share(
    row: list[ContextBlock], maximum: int, share: float, counter: str
) -> None:
    request = ContextBlockBuildRequest(
        blocks=row,
        max_tokens=maximum,
        section_budgets=[ContextSectionBudget(section="news", share=share)],
        token_counter=TokenCounter(tokenizer_id=counter),
    )
    result = result_or_error(request)
    if not isinstance(result, BudgetError):
        news = "\n\n".join(one.text for one in result.included_blocks if one.section == "news")
        assert count_tokens(news, tokenizer_id=counter) <= max(1, int(maximum * share))


def test_a_section_whose_required_blocks_exceed_its_share_is_named() -> None:
    share = ContextSectionBudget(section="rules", share=0.1)
    with pytest.raises(BudgetError, match="section 'rules' may have 1 tokens") as caught:
        build(
            [block("law", section="rules", required=True)], max_tokens=10, section_budgets=[share]
        )
    assert caught.value.parts == {"law": 3}


def test_a_share_without_a_total_limits_nothing() -> None:
    share = ContextSectionBudget(section="s", share=0.01)
    assert names(build([block("a")], section_budgets=[share]).included_blocks) == ["a"]


def test_every_section_has_a_token_at_least() -> None:
    share = ContextSectionBudget(section="s", share=0.01)
    result = build([block("a", "one"), block("b", "two")], max_tokens=10, section_budgets=[share])
    assert names(result.included_blocks) == ["a"]


def test_tokens_are_those_of_o200k_base_unless_a_counter_is_named() -> None:
    row = [block("a", "Donaudampfschifffahrt"), block("b", "ship")]
    result = build_context_pack_from_blocks(ContextBlockBuildRequest(blocks=row, max_tokens=2))
    assert names(result.included_blocks) == ["b"]


def test_an_unknown_counter_is_an_error() -> None:
    with pytest.raises(UnknownNameError, match="gpt-9"):
        build([block("a")], counter="gpt-9")
