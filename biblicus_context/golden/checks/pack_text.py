"""The text of a pack as it is placed, also where it is inside a nested context."""

from __future__ import annotations

from biblicus_context.assembly.packs.piece import BETWEEN_PACKS
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.result.spans import packs_named


def pack_text(result: ContextAssemblyResult, name: str) -> str:
    """The text of every pack of this name, a blank line between two of them."""
    return BETWEEN_PACKS.join(
        result.messages[span.message]["content"][span.start : span.end]
        for span in packs_named(result.spans, name)
        if span.end > span.start
    )
