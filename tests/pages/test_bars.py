"""Bars: what each part asked for and what it was given."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from biblicus_context import BudgetError, ContextAssembler
from biblicus_context.pages.bars import bars_of
from tests.assembly.strategies import Case, cases
from tests.pages.assemblies import everything


@settings(max_examples=60)
@given(cases(overflow=("compact", "none")))
def test_the_bars_of_the_outermost_parts_add_up_to_what_is_used(case: Case):
    try:
        receipt = ContextAssembler(**case.registries).assemble(**case.call).receipt
    except BudgetError:
        return
    given_tokens = sum(bar.given for bar in bars_of(receipt) if bar.depth == 0)
    assert given_tokens + receipt.framing + receipt.joins == receipt.used


def test_a_nested_part_stands_behind_the_part_it_is_in():
    rows = [(bar.depth, bar.label, bar.tint) for bar in bars_of(everything().receipt)]
    assert rows == [
        (0, "system", "system"),
        (0, "style", "nested"),
        (1, "system", "system"),
        (1, "rules", "pack"),
        (0, "handbook", "pack"),
        (0, "system", "system"),
        (0, "history", "history"),
        (0, "user", "user"),
    ]


@pytest.mark.parametrize(
    ("label", "what"),
    [
        ("handbook", "total budget of 120 tokens is full · 2 requests · 2 of 3 blocks"),
        ("history", "total budget of 120 tokens is full · 3 of 4 messages"),
    ],
)
def test_a_bar_says_in_words_what_happened(label, what):
    (bar,) = (bar for bar in bars_of(everything().receipt) if bar.label == label)
    assert (bar.action, bar.what) == ("shortened", what)


def test_what_is_there_in_full_is_not_counted_twice():
    what = {bar.label: bar.what for bar in bars_of(everything(budget=400).receipt)}
    assert (what["rules"], what["history"]) == ("1 block", "4 messages")


def test_what_was_asked_besides_is_missing_unless_the_part_is_kept():
    missing = {bar.label: bar.missing for bar in bars_of(everything().receipt)}
    assert missing["handbook"] > 0
    assert missing["user"] == 0


def test_a_text_that_came_to_nothing_has_no_bar():
    context = {"messages": [{"type": "system", "content": "{input.x}"}]}
    receipt = ContextAssembler({"main": context}).assemble("main", inputs={"x": ""}).receipt
    assert bars_of(receipt) == []
