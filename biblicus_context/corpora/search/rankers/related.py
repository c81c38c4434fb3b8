"""Documents that relations lead to, from named or found ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers import hybrid
from biblicus_context.corpora.search.rankers.named import (
    filled_depth,
    of_named,
    places_meeting_filters,
)
from biblicus_context.spec.retriever_settings import HybridSpec, RelatedSpec
from biblicus_context.stores import NO_FILTERS


def related(query: SearchQuery, spec: RelatedSpec, most: int) -> list[RankedBlock]:
    """The blocks of the related documents, nearest document first."""
    del most
    if spec.finds_starts and query.text.strip():
        return _around(query, spec, _found_starts(query, spec))
    return of_named(query, spec.start, partial(_around, query, spec))


def _around(query: SearchQuery, spec: RelatedSpec, starts: Sequence[str]) -> list[RankedBlock]:
    reached = _reached(query, spec, starts)
    places = places_meeting_filters(query, [*reached])
    return [_found(each.block_id, each.document_id, reached[each.document_id]) for each in places]


def _reached(query: SearchQuery, spec: RelatedSpec, starts: Sequence[str]) -> Mapping[str, int]:
    """The related documents with their distances, without the first ones."""
    found = query.view.related(
        starts,
        types=spec.relation,
        direction=spec.direction,
        depth=filled_depth(spec.depth),
        limit=spec.most_documents,
    )
    return {each.document_id: each.depth for each in found}


def _found_starts(query: SearchQuery, spec: RelatedSpec) -> list[str]:
    everywhere = replace(query, filters=NO_FILTERS, shown=0)
    found = hybrid(everywhere, HybridSpec(retriever_id="hybrid"), 1)
    documents: dict[str, None] = {}
    for each in found:  # stop early: a ranking looks up the names of its blocks as it is read
        documents[each.document_id] = None
        if len(documents) == spec.starts:
            break
    return [*documents]


def _found(block: str, document: str, depth: int) -> RankedBlock:
    score = 0.5 ** (depth - 1)
    return RankedBlock(block, document, score, lambda _: {"relation": score})
