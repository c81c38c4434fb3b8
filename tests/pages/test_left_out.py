"""Everything that is not placed as it came is in the list, once."""

from __future__ import annotations

from hypothesis import given, settings

from biblicus_context import BudgetError, ContextAssembler
from biblicus_context.pages.left_out import left_out_rows
from tests.assembly.strategies import Case, cases
from tests.pages.assemblies import everything


def parts_within(parts):
    for part in parts:
        yield part
        yield from parts_within(part.parts)


@settings(max_examples=60)
@given(cases(overflow=("compact", "none")))
def test_every_block_turn_and_part_that_is_not_kept_is_listed_once(case: Case):
    try:
        receipt = ContextAssembler(**case.registries).assemble(**case.call).receipt
    except BudgetError:
        return
    parts = list(parts_within(receipt.parts))
    blocks = [block for part in parts for block in part.blocks if block.action != "kept"]
    turns = [turn for part in parts for turn in part.turns if turn.action != "kept"]
    rows = left_out_rows(receipt)
    named = [row for row in rows if row.what]
    assert len(named) == len(blocks) + len(turns)
    unnamed = {row.part.rpartition(" / ")[2] for row in rows if not row.what}
    assert unnamed <= {part.name or part.kind for part in parts if part.action != "kept"}


def test_a_row_names_the_part_what_went_and_why():
    rows = {(row.part, row.what): row for row in left_out_rows(everything().receipt)}
    gone = rows["handbook", "long"]
    assert (gone.given, gone.action, gone.reason) == (
        0,
        "dropped",
        "total budget of 120 tokens is full",
    )
    assert rows["history", "message 0"].asked is None
    assert rows["system", ""].reason == "when: input.formal does not hold"


def test_what_a_nested_context_lost_names_both():
    rows = {(row.part, row.what): row for row in left_out_rows(everything(budget=70).receipt)}
    assert rows["style / rules", "e0"].given == 21
    assert ("history", "messages 0-2") in rows


def test_nothing_is_listed_where_all_of_it_is_sent():
    receipt = ContextAssembler({"main": {"messages": []}}).assemble("main").receipt
    assert left_out_rows(receipt) == []
