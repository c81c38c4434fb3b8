"""Notes on what could not be read, of which a summary shows a few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_MOST: Final = 10


def told(notes: Sequence[str], more: str) -> tuple[str, ...]:
    """The first of the notes, and how many more there are of what.

    >>> told([f"line {n} is odd" for n in range(1, 1_013)], "more lines are odd")[9:]
    ('line 10 is odd', '1,002 more lines are odd')
    """
    left = len(notes) - _MOST
    return (*notes[:_MOST], f"{left:,} {more}") if left > 0 else tuple(notes)
