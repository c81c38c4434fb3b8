"""Leaves out what is not similar enough to the query, and everything if nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from typing import Final

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.similarity import Fetch, similarities
from biblicus_context.spec.min_score import MinScoreSpec
from biblicus_context.spec.retriever_settings import SearchSpec

_FIRST: Final = 10
"""Hits among which the best one is looked for."""
_AT_ONCE: Final = 100


def above_floor(
    blocks: Iterator[RankedBlock],
    floor: MinScoreSpec,
    query: SearchQuery,
    spec: SearchSpec,
    fetch: Fetch,
) -> Iterator[RankedBlock]:
    """The ranking without blocks below the floor, with the similarity as a part of each score."""
    similar = partial(similarities, query, by=spec.similarity_by, fetch=fetch)
    first = [*islice(blocks, _FIRST)]
    if first and max(similar(first)) < floor.best:
        return
    rest = chain(first, blocks)
    while some := [*islice(rest, _AT_ONCE)]:
        for each, similarity in zip(some, similar(some), strict=True):
            if similarity >= floor.each:
                parts = {**each.parts, spec.similarity_by: similarity}
                yield each._replace(parts_of=partial(_same, parts))


def _same(parts: dict[str, float], _block: str) -> dict[str, float]:
    return parts
