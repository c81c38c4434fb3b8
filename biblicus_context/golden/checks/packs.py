"""Checks of packs: their tokens, blocks and texts, also where they are inside a nested context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biblicus_context.assembly.packs.piece import BETWEEN_PACKS
from biblicus_context.assembly.result.receipt import ReceiptBlock, ReceiptPart
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.result.spans import packs_named
from biblicus_context.golden.checks.budget import token_problems
from biblicus_context.golden.checks.call_result import CallResult, Mismatch
from biblicus_context.golden.checks.parts import unknown
from biblicus_context.golden.checks.texts import whole_problems
from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.expectation import Action, Expectation, PackExpectation


def pack_text(result: ContextAssemblyResult, name: str) -> str:
    """The text of every pack of this name, a blank line between two of them."""
    return BETWEEN_PACKS.join(
        result.messages[span.message]["content"][span.start : span.end]
        for span in packs_named(result.spans, name)
        if span.end > span.start
    )


_Path = tuple[Step, ...]


def check_packs(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    """Each pack by name, all its places together."""
    packs = [part for _, part in seen.parts if part.kind == "context"]
    for name, wanted in (expect.packs or {}).items():
        path = ("packs", name)
        called = [part for part in packs if part.name == name]
        if not called:
            known = [*dict.fromkeys(part.name for part in packs)]
            yield unknown("pack", name, known, path)
            continue
        yield from _asking_problems(wanted, called, path)
        tokens = sum(part.given for part in called)
        yield from token_problems(wanted.tokens, tokens, (*path, "tokens"))
        if wanted.text is not None:
            text = pack_text(seen.result, name)
            yield from whole_problems(wanted.text, text, (*path, "text"))
        yield from _block_problems(wanted, [each for part in called for each in part.blocks], path)


def _asking_problems(
    wanted: PackExpectation, called: Sequence[ReceiptPart], path: _Path
) -> Iterator[Mismatch]:
    requests = sum(part.requests for part in called)
    if wanted.requests is not None and wanted.requests != requests:
        problem = "it is asked more often" if requests > wanted.requests else "it is asked less"
        yield Mismatch((*path, "requests"), problem, str(wanted.requests), str(requests))
    for query in dict.fromkeys(part.query for part in called):
        yield from whole_problems(wanted.query, query, (*path, "query"))


def _block_problems(
    wanted: PackExpectation, blocks: Sequence[ReceiptBlock], path: _Path
) -> Iterator[Mismatch]:
    ids: dict[Action, tuple[str, ...] | None] = {
        "kept": wanted.kept,
        "shortened": wanted.shortened,
        "dropped": wanted.dropped,
    }
    for action, names in ids.items():
        for number, name in enumerate(names or ()):
            yield from _fate_problems(name, action, blocks, (*path, action, number))


def _fate_problems(
    name: str, action: Action, blocks: Sequence[ReceiptBlock], path: _Path
) -> Iterator[Mismatch]:
    called = [block for block in blocks if block.id == name]
    if not called:
        yield unknown("block", name, [*dict.fromkeys(block.id for block in blocks)], path)
    elif all(block.action != action for block in called):
        first = called[0]
        reason = f": {first.reason}" if first.reason else ""
        expected, found = f"{name!r} is {action}", f"{first.action}{reason}"
        yield Mismatch(path, "something else became of it", expected, found)
