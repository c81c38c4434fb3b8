"""The seven promises that every change keeps, as properties of generated assemblies."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from biblicus_context import BudgetError, ContextAssembler, ContextAssemblyResult
from tests.assembly.oracle import encodable, fingerprint_of, orphans, recounted
from tests.assembly.strategies import Case, cases, histories, texts


def assemble(case: Case, **changes: Any) -> ContextAssemblyResult | BudgetError:
    try:
        return ContextAssembler(**case.registries).assemble(**{**case.call, **changes})
    except BudgetError as error:
        return error


def framed(case: Case) -> bool:
    return case.registries["context_registry"]["main"]["policy"].get("framing") == "openai"


promise = settings(max_examples=10 * settings().max_examples)
"""1,000 examples in the gate, 20,000 at night."""


@promise
@given(cases())
def test_1_budget_the_recounted_total_is_within_it_or_an_error_names_what_cannot_shrink(case: Case):
    result = assemble(case)
    if isinstance(result, BudgetError):
        assert result.needed > result.budget
        assert result.parts
    else:
        assert result.token_count == recounted(result.messages, framed(case)) <= case.budget


@promise
@given(cases(overflow=("compact", "none")))
def test_2_account_every_block_and_message_offered_is_in_the_receipt_once(case: Case):
    result = assemble(case)
    if isinstance(result, BudgetError):
        return
    receipt = result.receipt
    placed = sum(part.tokens_after for part in receipt.parts)
    assert receipt.used == placed + receipt.framing + receipt.joins == result.token_count
    for part in receipt.parts:
        if part.kind == "history":
            numbers = [n for turn in part.turns for n in range(turn.first, turn.last + 1)]
            assert numbers == list(range(len(case.call["history_messages"])))
        if part.name in case.retrievers:
            ids = [
                block.id for block in part.blocks if block.reason != "the same evidence came before"
            ]
            assert len(ids) == len(set(ids))
            for block in part.blocks:
                assert (block.action == "dropped") == (block.tokens_after == 0)


@promise
@given(cases())
def test_3_determinism_sync_and_async_give_the_same_bytes_and_fingerprint(case: Case):
    async def assemble_async() -> ContextAssemblyResult | BudgetError:
        try:
            return await ContextAssembler(**case.registries).aassemble(**case.call)
        except BudgetError as error:
            return error

    one, two = assemble(case), asyncio.run(assemble_async())
    if isinstance(one, BudgetError):
        assert str(one) == str(two)
    else:
        assert isinstance(two, ContextAssemblyResult)
        assert one.messages == two.messages
        assert one.fingerprint == two.fingerprint


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
@given(cases(overflow=("compact", "none")))
def test_5_pairs_no_tool_call_or_result_is_orphaned(case: Case):
    result = assemble(case)
    if isinstance(result, ContextAssemblyResult):
        assert orphans(result.messages) == []


@promise
@given(cases(overflow=("compact", "none", "error")))
def test_6_inputs_are_never_mutated_nor_returned_by_reference(case: Case):
    before = copy.deepcopy((case.call, case.registries["context_registry"]))
    result = assemble(case)
    assert fingerprint_of((case.call, case.registries["context_registry"])) == fingerprint_of(
        before
    )
    if isinstance(result, ContextAssemblyResult):
        for message in result.messages:
            message["content"] = "changed"
            for call in message.get("tool_calls", ()):
                call["function"]["name"] = "changed"
        assert fingerprint_of(case.call) == fingerprint_of(before[0])


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
