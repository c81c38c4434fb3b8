"""Leaves out what is not similar enough to the query, and everything if nothing is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, TypeVar

from biblicus_context.spec.choosing import MinScoreSpec

T = TypeVar("T")

_FIRST: Final = 10
"""Blocks among which the most similar one is looked for."""
COMPARED_AT_ONCE: Final = 100
"""Blocks that are compared with the query in one read."""


def above_floor(
    blocks: Iterable[T],
    floor: MinScoreSpec,
    similar: Callable[[Sequence[T]], Sequence[float | None]],
    lose: Callable[[T, float, float | None], None],
) -> Iterator[tuple[T, float | None]]:
    """The blocks that are similar enough, each with its similarity, as far as they are read.

    None is a similarity that nobody knows, or that was compared before: such a block stays. `lose`
    gets every block that is left out, with the limit that it is below and its similarity.
    """
    rest = iter(blocks)
    first = [*islice(rest, _FIRST)]
    known = similar(first)
    best = 0.0 if isinstance(floor.best, str) else floor.best
    if first and all(each is not None and each < best for each in known):
        for one, similarity in zip(first, known, strict=True):
            lose(one, best, similarity)
        return
    rest = chain(first, rest)
    while some := [*islice(rest, COMPARED_AT_ONCE)]:
        for each, similarity in zip(some, similar(some), strict=True):
            if similarity is None or similarity >= floor.least:
                yield each, similarity
            else:
                lose(each, floor.least, similarity)
