"""Causes: a limit binds, a fact does not, and a receipt can be written with either."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from biblicus_context.assembly.draft import Gathered
from biblicus_context.assembly.packs.piece import PackPiece
from biblicus_context.assembly.packs.row import drop_blocks, everything, nothing, notice, row_of
from biblicus_context.assembly.reasons import Cause, LimitCause, Reason
from biblicus_context.assembly.result.binding import Limit, binding, seen_inside, starving
from biblicus_context.assembly.result.pack_account import FinishedPack, pack_account
from biblicus_context.assembly.steps.parts import PackPart, RetrieverSource
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.requests.settings import request_settings
from biblicus_context.spec.pack import PackOptions
from biblicus_context.spec.retriever import RetrieverDeclaration
from biblicus_context.text.counters import Counters
from tests.assembly.fakes import Shelf, assembled, part_named, plan, words

COUNTER = Counters().get("whitespace")
SOURCE = RetrieverSource(request_settings(RetrieverDeclaration(name="kb"), {}), None)
BUDGET = {"input_budget": {"max_tokens": 100}}


def pieces(texts: list[str]) -> list[PackPiece]:
    return [
        PackPiece(
            str(rank),
            "kb",
            text,
            block=ContextPackBlock(evidence_item_id=f"e{rank}", text=text),
            elastic=True,
        )
        for rank, text in enumerate(texts)
    ]


ROW = row_of(pieces([words(3), words(4)]), COUNTER)
FITTED = {
    "whole": everything(ROW, COUNTER),
    "one dropped": drop_blocks(everything(ROW, COUNTER), 4, COUNTER),
    "nothing of it": nothing(ROW),
    "found nothing": everything(row_of([], COUNTER), COUNTER),
    "a notice": everything(notice(PackPiece("0", "kb", "Nothing."), COUNTER, 1), COUNTER),
    "no notice": nothing(notice(PackPiece("0", "kb", "Nothing.", elastic=True), COUNTER, 1)),
}


@pytest.mark.parametrize("share", [None, 0, 1, 50])
@pytest.mark.parametrize("fitted", FITTED)
@pytest.mark.parametrize("cause", get_args(Cause))
def test_every_cause_can_be_the_reason_of_every_pack(cause: Any, fitted: str, share: int | None):
    part = PackPart("messages[0]", PackOptions(name="kb"), SOURCE)
    pack = FinishedPack(part, Gathered(FITTED[fitted], share=share), FITTED[fitted], COUNTER)
    why = Reason(cause, 7, detail="as it is", note="and more")
    account = pack_account(pack, why, None, ())
    dropped = [block for block in account.blocks if block.action == "dropped"]
    assert all((block.cause, block.figure) == (cause, 7) for block in dropped)
    if share == 0 or pack.changes:
        assert (account.cause, account.figure) == (cause, 7)
        assert account.reason


def test_a_fact_that_is_known_needs_no_limits():
    fact = Reason("nothing_found", note="an alternative is placed whole or not at all")
    assert binding(fact) == starving(fact) == seen_inside(fact, "kb") == fact


@pytest.mark.parametrize("cause", get_args(LimitCause))
def test_every_limit_can_bind(cause: Any):
    assert binding((Limit(cause, 7, 0), Limit("share", 9, 4))).cause == cause


@pytest.mark.parametrize("name", ["kb", "inner"])
@pytest.mark.parametrize("overflow", ["compact", "error", "none"])
@pytest.mark.parametrize("budget", [{}, BUDGET])
def test_an_alternative_whose_search_finds_nothing_gives_way_to_the_next(
    budget: dict[str, Any], overflow: str, name: str
):
    """Its format has a text for nothing found, which is not a block that a limit leaves out."""
    pack = {"type": "context", "name": name, "format": {"empty": "Nothing is known."}}
    context = plan({"first": [pack, "Ask a person."]}, **budget, overflow=overflow)
    inner = {"messages": [{"type": "context", "name": "kb"}]}
    result = assembled(context, {"kb": Shelf([])}, {"inner": inner})
    part = part_named(result, name)
    assert result.system_prompt == "Ask a person."
    assert (part.action, part.cause, part.given) == ("dropped", "nothing_found", 0)
    assert part.reason.startswith("the retriever returned nothing")
