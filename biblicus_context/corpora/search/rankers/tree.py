"""What is around documents in the tree of their parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.named import (
    filled_depth,
    of_named,
    places_meeting_filters,
)
from biblicus_context.spec.retriever_settings import TreeSpec
from biblicus_context.stores import Document

_LEAST: Final = 0.05
"""However far away: a score of 0 would mean that a document has nothing to do with it."""
_MOST_DESCENDANTS: Final = 1_000
"""Each has its children looked up."""


def tree(query: SearchQuery, spec: TreeSpec, most: int) -> list[RankedBlock]:
    """The blocks of the documents, the document with the best score first; ties by id."""
    del most
    return of_named(query, spec.start, partial(_near, query, spec))


def _near(query: SearchQuery, spec: TreeSpec, starts: Sequence[str]) -> list[RankedBlock]:
    scores: dict[str, float] = {}
    for near, score in _around(query, spec, starts):
        scores[near] = max(score, scores.get(near, 0.0))
    found = sorted(scores, key=lambda each: (-scores[each], each))
    places = places_meeting_filters(query, found)
    return [_found(each.block_id, each.document_id, scores[each.document_id]) for each in places]


def _around(
    query: SearchQuery, spec: TreeSpec, starts: Sequence[str]
) -> Iterator[tuple[str, float]]:
    """Documents and their scores: 1 for the starts, less with the distance."""
    if not starts:
        return
    around = query.view.tree(
        starts,
        up=spec.ancestors,
        across=spec.siblings,
        down=spec.children if filled_depth(spec.depth) else 0,
    )
    if spec.include_start:
        yield from ((start, 1.0) for start in starts)
    if spec.ancestors:
        for number, ancestor in _ancestors(around.above, starts, spec.ancestors):
            yield ancestor, _score(0.9, 0.1, number)
    if spec.siblings:
        near = around.siblings
        yield from ((each.document_id, _score(0.8, 0.05, abs(each.distance) - 1)) for each in near)
    if spec.children:
        yield from _descendants(query, spec, starts, around.below)


def _score(first: float, step: float, number: int) -> float:
    return max(_LEAST, round(first - step * number, 4))


def _ancestors(
    lineage: Sequence[Document], starts: Sequence[str], most: int
) -> Iterator[tuple[int, str]]:
    """Parents upwards with their numbers; a cycle of parents ends where it begins again."""
    parents = {each.id: each.parent for each in lineage}
    for start in starts:
        known, above = {start}, parents.get(start)
        while above in parents and above not in known and len(known) <= most:
            yield len(known) - 1, above
            known.add(above)
            above = parents[above]


def _descendants(
    query: SearchQuery, spec: TreeSpec, starts: Sequence[str], first: Sequence[Document]
) -> Iterator[tuple[str, float]]:
    """Children level by level, of all starts at once; a cycle ends where it begins again."""
    known = {start: {start} for start in starts}
    levels = {start: [start] for start in starts}
    for depth in range(filled_depth(spec.depth)):
        parents = [each for level in levels.values() for each in level]
        if not parents:
            return
        children = _numbered(query.view.tree(parents, down=spec.children).below if depth else first)
        for start, level in levels.items():
            found: list[str] = []
            for number, child in (each for parent in level for each in children.get(parent, ())):
                if child not in known[start] and len(known[start]) <= _MOST_DESCENDANTS:
                    known[start].add(child)
                    found.append(child)
                    yield child, _score(0.85 - 0.1 * depth, 0.05, number)
            levels[start] = found


def _numbered(children: Sequence[Document]) -> Mapping[str, Sequence[tuple[int, str]]]:
    """The children of each parent, numbered."""
    found: dict[str, list[tuple[int, str]]] = {}
    for each in children:
        row = found.setdefault(each.parent or "", [])
        row.append((len(row), each.id))
    return found


def _found(block: str, document: str, score: float) -> RankedBlock:
    return RankedBlock(block, document, score, lambda _: {"tree": score})
