"""The seven promises that every change keeps, as properties of generated assemblies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context import BudgetError, ContextAssembler, ContextAssemblyResult
from biblicus_context.assembly import ReceiptPart
from tests.assembly.oracle import encodable, fingerprint_of, orphans, recounted
from tests.assembly.strategies import Case, cases, histories, texts
from tests.nightly import NIGHTLY


def assemble(case: Case, **changes: Any) -> ContextAssemblyResult | BudgetError:
    try:
        return ContextAssembler(**case.registries).assemble(**{**case.call, **changes})
    except BudgetError as error:
        return error


def framing_of(case: Case) -> str | None:
    return case.registries["context_registry"]["main"]["policy"].get("framing")


promise = settings(max_examples=(28 if NIGHTLY else 14) * settings().max_examples)
"""700 examples in the gate, 28,000 at night; drawing one takes as long as assembling it."""


class Assembled(NamedTuple):
    """An assembly, and the fingerprint of what went into it."""

    case: Case
    before: str
    result: ContextAssemblyResult | BudgetError


def budget_holds(done: Assembled) -> None:
    """1: the recounted total is within it, or an error names what cannot shrink."""
    case, result = done.case, done.result
    if isinstance(result, BudgetError):
        assert result.needed > result.budget
        assert result.parts or (case.overflow == "error" and result.receipt)
    elif case.overflow != "none":
        assert result.token_count == recounted(result.messages, framing_of(case)) <= case.budget


def all_is_accounted_for(done: Assembled) -> None:
    """2: every block and message offered is in the receipt, once."""
    if isinstance(done.result, BudgetError):
        return
    receipt = done.result.receipt
    placed = sum(part.given for part in receipt.parts)
    assert receipt.used == placed + receipt.framing + receipt.joins == done.result.token_count
    for part in receipt.parts:
        if part.kind == "history":
            numbers = [n for turn in part.turns for n in range(turn.first, turn.last + 1)]
            assert numbers == list(range(len(done.case.call["history_messages"])))
        if part.name in done.case.retrievers:
            ids = [block.id for block in part.blocks if block.cause != "duplicate"]
            assert len(ids) == len(set(ids))
            for block in part.blocks:
                assert (block.action == "dropped") == (block.given == 0)
    named: dict[str, set[str]] = {}
    for part in every_part(receipt.parts):
        named.setdefault(part.name, set()).update(block.id for block in part.blocks)
    for name, retriever in done.case.retrievers.items():
        assert retriever.offered <= named.get(name, set())


def every_part(parts: Iterable[ReceiptPart]) -> Iterator[ReceiptPart]:
    """The parts, and those of nested contexts."""
    for part in parts:
        yield part
        yield from every_part(part.parts)


def it_is_determined(done: Assembled) -> None:
    """3: sync and async give the same bytes and the same fingerprint."""

    async def assemble_async() -> ContextAssemblyResult | BudgetError:
        try:
            return await ContextAssembler(**done.case.registries).aassemble(**done.case.call)
        except BudgetError as error:
            return error

    one, two = done.result, asyncio.run(assemble_async())
    if isinstance(one, BudgetError):
        assert str(one) == str(two)
    else:
        assert isinstance(two, ContextAssemblyResult)
        assert one.messages == two.messages
        assert one.fingerprint == two.fingerprint


def pairs_stay_whole(done: Assembled) -> None:
    """5: no tool call or result is orphaned."""
    if isinstance(done.result, ContextAssemblyResult):
        assert orphans(done.result.messages) == []


def inputs_are_left_alone(done: Assembled) -> None:
    """6: they are never mutated nor returned by reference; the last, as it spoils the result."""
    handed_in = (done.case.call, done.case.registries["context_registry"])
    assert fingerprint_of(handed_in) == done.before
    if isinstance(done.result, ContextAssemblyResult):
        for message in done.result.messages:
            message["content"] = "changed"
            for call in message.get("tool_calls", ()):
                call["function"]["name"] = "changed"
        assert fingerprint_of(handed_in) == done.before


PROMISES = (
    budget_holds,
    all_is_accounted_for,
    it_is_determined,
    pairs_stay_whole,
    inputs_are_left_alone,
)


@promise
@pytest.mark.parametrize("overflow", [(None, "compact"), ("none", "error")], ids=["shrinks", "not"])
@given(data=st.data())
def test_1_2_3_5_and_6_hold_of_any_assembly(data: st.DataObject, overflow: tuple[str | None, ...]):
    case = data.draw(cases(overflow))
    before = fingerprint_of((case.call, case.registries["context_registry"]))
    done = Assembled(case, before, assemble(case))
    for holds in PROMISES:
        holds(done)


@promise
@given(histories(), texts(), st.integers(0, 12))
def test_4_prefix_more_history_never_changes_the_bytes_before_it(
    history: list[dict[str, Any]], system: str, cut: int
):
    plan = {
        "messages": [{"type": "system", "template": "{{ input.s }}"}, {"type": "history"}],
        "policy": {"input_budget": {"max_tokens": 100_000}},
    }
    assembler = ContextAssembler({"main": plan})
    turns_end = max((n for n in range(cut + 1) if not orphans(history[:n])), default=0)
    shorter = assembler.assemble("main", inputs={"s": system}, history=history[:turns_end])
    longer = assembler.assemble("main", inputs={"s": system}, history=history)
    assert longer.messages[: len(shorter.messages)] == shorter.messages


@promise
@given(texts(40), texts(40))
def test_7_hostile_text_in_values_and_evidence_is_placed_as_it_is(value: str, evidence: str):
    plan = {
        "messages": [
            {"type": "system", "content": "Value: {input.v}"},
            {"type": "context", "name": "kb"},
            {"type": "user", "template": "{{ input.v }}|{input.v}|{context.kb}"},
        ]
    }
    blocks = [{"evidence_item_id": "e", "text": evidence}] if evidence else []
    answer = {"text": evidence, "evidence_count": len(blocks), "blocks": blocks}
    assembler = ContextAssembler({"main": plan}, {"kb": lambda request: answer})
    result = assembler.assemble("main", inputs={"v": value})
    sound = encodable(evidence)
    joint = f"\n\n{sound}" if sound else ""
    assert result.system_prompt == f"Value: {value}{joint}"
    assert result.user_message == f"{value}|{value}|{sound}"
