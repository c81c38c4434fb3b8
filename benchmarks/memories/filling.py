"""What libraries have in common that store one memory at a time, return a list, and know no budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.memories.work import BETWEEN
from benchmarks.peers.counters import ids

if TYPE_CHECKING:
    from collections.abc import Iterable

ADDING_SECONDS: Final = 10.0
"""For one memory at a time; the rest is stored at once, so that all libraries answer from the same."""


def filled(memories: Iterable[str], budget: int) -> str:
    """The memories, best first, that fit the budget; one that does not fit is skipped."""
    kept: list[str] = []
    left = budget
    for memory in memories:
        tokens = len(ids(memory + BETWEEN))
        if tokens <= left:
            kept.append(memory)
            left -= tokens
    return BETWEEN.join(kept)
