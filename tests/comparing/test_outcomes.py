"""One context under several budgets and models."""

from __future__ import annotations

import pytest

from biblicus_context import ContextAssembler, InputError
from biblicus_context.comparing.outcomes import table, what_if
from tests.assembly.fakes import Shelf

CONTEXT = {
    "policy": {"counter": "whitespace", "pack_budget": {"default_max_tokens": 20}},
    "messages": [
        {"type": "system", "content": "one two three"},
        {"type": "context", "name": "inner"},
        {"type": "user", "content": "four five"},
    ],
}
INNER = {"messages": [{"type": "context", "name": "kb"}, {"type": "system", "content": "six"}]}


@pytest.fixture
def assemble():
    kb = Shelf(["a b c d", "e f g h"])
    assembler = ContextAssembler({"main": CONTEXT, "inner": INNER}, {"kb": kb})
    return lambda budget, model: assembler.assemble(
        "main", **{k: v for k, v in {"budget": budget, "model": model}.items() if v is not None}
    )


def test_there_is_an_outcome_for_each_model_and_budget_in_this_order(assemble):
    outcomes = what_if(assemble, [20, 30], ["gpt-4o", "llama-3-8b"])
    assert [(each.model, each.budget) for each in outcomes] == [
        *(("gpt-4o", 20), ("gpt-4o", 30)),
        *(("llama-3-8b", 20), ("llama-3-8b", 30)),
    ]


def test_what_does_not_fit_is_an_outcome_that_says_what_is_needed(assemble):
    (outcome,) = what_if(assemble, [4], [None])
    assert outcome.receipt is None
    assert outcome.needed == 6
    assert "cannot shrink" in outcome.problem


def test_any_other_error_is_raised(assemble):
    with pytest.raises(InputError):
        what_if(assemble, [0], [None])


def test_each_part_is_one_row_with_a_cell_for_each_outcome(assemble):
    rows = table(what_if(assemble, [4, 6, 11, None], [None]))
    cells = {(row.depth, row.label): [bar and bar.given for bar in row.cells] for row in rows}
    assert list(cells) == [
        (0, "system"), (0, "inner"), (1, "kb"), (1, "system"), (0, "user")
    ]  # fmt: skip
    assert cells[0, "system"] == [None, 3, 3, 3]
    assert cells[0, "inner"] == [None, 1, 5, 9]
    assert cells[1, "kb"] == [None, 0, 4, 8]


def test_rows_keep_the_order_of_the_plan_where_outcomes_have_different_parts():
    context = {
        "messages": [
            {"type": "system", "content": "a", "when": "false"},
            {
                "first": [
                    {"type": "system", "content": "long " * 20},
                    {"type": "user", "content": "b"},
                ]
            },
            {"type": "user", "content": "c"},
        ]
    }
    assembler = ContextAssembler({"main": context})
    outcomes = what_if(
        lambda budget, model: assembler.assemble("main", budget=budget), [10, 100], [None]
    )
    labels = [row.label for row in table(outcomes)]
    assert labels[0] == "system"
    assert labels[-1] == "user"
    assert len(table(outcomes)) == 4
