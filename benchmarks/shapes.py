"""Calls that grow in one direction: to see what a longer, wider or deeper plan costs."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import biblicus_context as engine
from benchmarks.declared import assembler, assembling
from benchmarks.messages import Message
from benchmarks.texts import Writer
from benchmarks.workloads import Work, history

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Call = Callable[[], Any]

BLOCK_TOKENS = 20
LINE_TOKENS = 10


def long_history(messages: int, round_: int) -> Call:
    """Ever more history, the same budget."""
    writer = Writer(("history", messages, round_))
    work = Work(
        budget=8_000,
        system=writer.text(500),
        question=writer.text(30),
        history=history(writer, messages, 80),
    )
    return assembling(assembler(engine, work), engine, work)


def summarised_history(messages: int, round_: int) -> Call:
    """Ever more history of which one message summarises what does not fit."""
    return _history(messages, round_, {"compactor": {"type": "truncate"}})


def marked_history(messages: int, round_: int) -> Call:
    """Ever more history that shrinks to a low mark."""
    return _history(messages, round_, {"low_mark": 0.75})


def _history(messages: int, round_: int, options: dict[str, Any]) -> Call:
    writer = Writer(("history", messages, round_))
    said = [message.as_dict() for message in history(writer, messages, 80)]
    context = engine.ContextDeclaration(
        name="support",
        messages=[_system(writer), {"type": "history", **options}],
        policy={"input_budget": {"max_tokens": 8_000}},
    )
    assembler = engine.ContextAssembler({"support": context})
    return lambda: assembler.assemble("support", history=said)


def many_blocks(blocks: int, round_: int) -> Call:
    """One pack of ever more blocks, half of which fit."""
    writer = Writer(("blocks", blocks, round_))
    work = Work(
        budget=blocks * BLOCK_TOKENS,
        system=writer.text(LINE_TOKENS),
        question=writer.text(LINE_TOKENS),
        history=(Message("user", writer.text(LINE_TOKENS)),),
        blocks=tuple(writer.text(BLOCK_TOKENS) for _ in range(blocks)),
        page_size=blocks,
    )
    return assembling(assembler(engine, work), engine, work)


def many_packs(packs: int, round_: int) -> Call:
    """One plan that inserts ever more packs of one block each."""
    names = [f"kb_{index}" for index in range(packs)]
    return _plan(
        {"support": [_system(Writer(("packs", packs, round_))), *map(_insert, names)]},
        names,
        budget=packs * BLOCK_TOKENS * 2,
        round_=round_,
    )


def deep_nesting(depth: int, round_: int) -> Call:
    """Contexts inside contexts, each with a line of its own, around one retriever."""
    writer = Writer(("nesting", depth, round_))
    names = ["support", *(f"level_{index}" for index in range(1, depth)), "kb"]
    plans = {name: [_system(writer), _insert(inner)] for name, inner in pairwise(names)}
    return _plan(plans, ["kb"], budget=depth * LINE_TOKENS * 4 + BLOCK_TOKENS * 4, round_=round_)


def _plan(
    plans: dict[str, list[dict[str, Any]]], retrievers: Sequence[str], *, budget: int, round_: int
) -> Call:
    policy = {"input_budget": {"max_tokens": budget}, "pack_budget": {"default_ratio": 0.8}}
    contexts = {
        name: engine.ContextDeclaration(
            name=name, messages=messages, policy=policy if name == "support" else None
        )
        for name, messages in plans.items()
    }
    registry = {name: _one_block(name, round_) for name in retrievers}
    assembler = engine.ContextAssembler(contexts, retriever_registry=registry)
    return lambda: assembler.assemble("support", inputs={"question": "Where is my order?"})


def _one_block(name: str, round_: int) -> Callable[[Any], Any]:
    text = Writer((name, round_)).text(BLOCK_TOKENS)
    block = engine.ContextPackBlock(evidence_item_id=name, text=text, metadata=None)
    pack = engine.ContextPack(text=text, evidence_count=1, blocks=[block])
    return lambda _request: pack


def _system(writer: Writer) -> dict[str, Any]:
    return {"type": "system", "content": writer.text(LINE_TOKENS)}


def _insert(name: str) -> dict[str, Any]:
    return {"type": "context", "name": name}
