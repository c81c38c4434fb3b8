"""Documents and blocks that the settings name, in the order of the names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.named import documents_named, meeting_filters
from biblicus_context.errors import InputError
from biblicus_context.spec.retriever_settings import ExplicitSpec

_PARTS: Final = {"named": 1.0}


def explicit(query: SearchQuery, spec: ExplicitSpec, most: int) -> list[RankedBlock]:
    """The blocks of the named documents, then the named blocks; each block once."""
    del most
    documents = meeting_filters(query, documents_named(query, spec.documents))
    places = query.view.places_of(documents) if documents else ()
    found = {each.block_id: each.document_id for each in places} | _named(query, spec.blocks)
    return [RankedBlock(block, of, 1.0, lambda _: _PARTS) for block, of in found.items()]


def _named(query: SearchQuery, names: Sequence[str]) -> dict[str, str]:
    """Named blocks, each with its document."""
    if not names:
        return {}
    of = {each.block.id: each.document.id for each in query.view.evidence(names)}
    for name in names:
        if name not in of:
            raise InputError("the corpus has no such block", found=name)
    documents = meeting_filters(query, [*dict.fromkeys(of.values())])
    return {block: document for block, document in of.items() if document in documents}
