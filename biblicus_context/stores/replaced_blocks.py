"""Which block of a rewritten document is in the place of which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def replaced_blocks(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of ids: the blocks that a document lost, in its order, and those that it got for them.

    >>> [*replaced_blocks(["a", "b", "c"], ["a", "d", "c", "e"])]
    [('b', 'd')]
    """
    earlier, later = {*before}, {*after}
    lost = (each for each in before if each not in later)
    new = (each for each in after if each not in earlier)
    return zip(lost, new, strict=False)
