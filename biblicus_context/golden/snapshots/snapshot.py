"""The snapshot of a result: what is sent and what was left out, written for reviewers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from biblicus_context.assembly.result.receipt import Receipt, ReceiptPart
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.golden.snapshots.yaml_text import Plain, scalar, yaml_lines

_WIDTH: Final = 120
"""Of a receipt in a snapshot, whatever the terminal is."""


def snapshot_of(result: ContextAssemblyResult, name: str, *, with_receipt: bool = False) -> str:
    """The section of a snapshot file for this result."""
    receipt = result.receipt
    section: dict[str, Plain] = {"tokens": result.token_count}
    if receipt.budget is not None:
        section["budget"] = receipt.budget
    section["messages"] = result.messages
    left_out = [] if with_receipt else list(_left_out(receipt))
    if with_receipt:
        section["receipt"] = result.explain(_WIDTH, details=True)
    if left_out:
        section["left_out"] = left_out
    return "\n".join([key_of(name), *yaml_lines(section), ""])


def key_of(name: str) -> str:
    """The first line of the section of this name."""
    return f"case: {scalar(name)}"


def _left_out(receipt: Receipt) -> Iterator[str]:
    """What is left out or shortened; reasons are in the receipt only."""
    for part in receipt.parts:
        yield from _of_part(part, "")


def _of_part(part: ReceiptPart, within: str) -> Iterator[str]:
    name = f"{within}{part.name or part.kind}"
    in_detail = part.blocks or part.turns or part.parts
    if part.action in ("not asked", "failed") or (part.action != "kept" and not in_detail):
        yield f"{name} ({part.place}) {part.action}"
    for block in part.blocks:
        if block.action != "kept":
            yield f"{name} block {block.id} {block.action}"
    for turn in part.turns:
        if turn.action != "kept":
            one = turn.first == turn.last
            messages = f"message {turn.first}" if one else f"messages {turn.first} to {turn.last}"
            yield f"{name} {messages} {turn.action}"
    for inner in part.parts:
        yield from _of_part(inner, f"{name}/")
