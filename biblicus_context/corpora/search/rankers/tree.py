"""What is around documents in the tree of their parents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.named import (
    documents_named,
    filled_depth,
    meeting_filters,
)
from biblicus_context.spec.retriever_settings import TreeSpec
from biblicus_context.stores import Document, Filters

_LEAST: Final = 0.05
"""However far away: a score of 0 would mean that a document has nothing to do with it."""
_MOST_SIBLINGS: Final = 10_000
"""Documents of one parent that are put in order."""
_MOST_DESCENDANTS: Final = 1_000
"""Each has its children looked up."""


def tree(query: SearchQuery, spec: TreeSpec, most: int) -> list[RankedBlock]:
    """The blocks of the documents, the document with the best score first; ties by id."""
    del most
    scores: dict[str, float] = {}
    for document in documents_named(query, spec.start):
        for near, score in _around(query, spec, document):
            scores[near] = max(score, scores.get(near, 0.0))
    found = meeting_filters(query, sorted(scores, key=lambda each: (-scores[each], each)))
    return [
        _found(block.id, document, scores[document])
        for document in found
        for block in query.store.blocks_of(query.principal, document, at=query.at)
    ]


def _around(query: SearchQuery, spec: TreeSpec, start: str) -> Iterator[tuple[str, float]]:
    """Documents and their scores: 1 for the start, less with the distance."""
    if spec.include_start:
        yield start, 1.0
    for number, ancestor in enumerate(_ancestors(query, start, spec.ancestors)):
        yield ancestor, _score(0.9, 0.1, number)
    if spec.siblings:
        for number, sibling in _siblings(query, start, spec.siblings):
            yield sibling, _score(0.8, 0.05, number)
    yield from _descendants(query, spec, start)


def _score(first: float, step: float, number: int) -> float:
    return max(_LEAST, round(first - step * number, 4))


def _ancestors(query: SearchQuery, start: str, most: int) -> Iterator[str]:
    """Parents upwards; a cycle of parents ends where it begins again."""
    known = {start}
    document = _document(query, start)
    while document and document.parent and document.parent not in known and len(known) <= most:
        known.add(document.parent)
        document = _document(query, document.parent)
        if document is not None:
            yield document.id


def _siblings(query: SearchQuery, start: str, most: int) -> Iterator[tuple[int, str]]:
    """The nearest siblings on each side, with how many are between."""
    document = _document(query, start)
    if document is None or document.parent is None:
        return
    row = [each.id for each in children_of(query, document.parent)]
    if start in row:
        at = row.index(start)
        yield from enumerate(reversed(row[max(0, at - most) : at]))
        yield from enumerate(row[at + 1 : at + 1 + most])


def _descendants(query: SearchQuery, spec: TreeSpec, start: str) -> Iterator[tuple[str, float]]:
    """Children level by level; a cycle of parents ends where it begins again."""
    known, level = {start}, [start]
    for depth in range(filled_depth(spec.depth) if spec.children else 0):
        found: list[str] = []
        for parent in level:
            for number, child in enumerate(children_of(query, parent)[: spec.children]):
                if child.id not in known and len(known) <= _MOST_DESCENDANTS:
                    known.add(child.id)
                    found.append(child.id)
                    yield child.id, _score(0.85 - 0.1 * depth, 0.05, number)
        level = found


def children_of(query: SearchQuery, parent: str) -> list[Document]:
    """In the order of their positions; those without one come last, by id."""
    filters = Filters(parents=frozenset({parent}))
    found = query.store.list_documents(
        query.principal, filters=filters, limit=_MOST_SIBLINGS, at=query.at
    )
    return sorted(found, key=lambda each: (each.position is None, each.position or 0, each.id))


def _document(query: SearchQuery, name: str) -> Document | None:
    return next(iter(query.store.documents(query.principal, [name], at=query.at)), None)


def _found(block: str, document: str, score: float) -> RankedBlock:
    return RankedBlock(block, document, score, lambda _: {"tree": score})
