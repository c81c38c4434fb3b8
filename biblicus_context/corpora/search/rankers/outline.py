"""Outlines of documents: the first block of each stands for all of them."""

from __future__ import annotations

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.named import documents_named, meeting_filters
from biblicus_context.spec.retriever_settings import OutlineSpec


def outline(query: SearchQuery, spec: OutlineSpec, most: int) -> list[RankedBlock]:
    """One block for each document, in the order of the names."""
    del most
    found = meeting_filters(query, documents_named(query, spec.documents))
    places = query.view.places_of(found, most=1) if found else ()
    return [
        RankedBlock(each.block_id, each.document_id, 1.0, lambda _: {"named": 1.0})
        for each in places
    ]
