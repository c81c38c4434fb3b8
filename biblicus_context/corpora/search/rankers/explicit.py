"""Documents and blocks that the settings name, in the order of the names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.named import documents_named, meeting_filters
from biblicus_context.errors import InputError
from biblicus_context.spec.retriever_settings import ExplicitSpec
from biblicus_context.stores import Block

_PARTS: Final = {"named": 1.0}


def explicit(query: SearchQuery, spec: ExplicitSpec, most: int) -> list[RankedBlock]:
    """The blocks of the named documents, then the named blocks; each block once."""
    del most
    documents = documents_named(query, spec.documents)
    blocks = [
        block
        for document in meeting_filters(query, documents)
        for block in query.store.blocks_of(query.principal, document, at=query.at)
    ]
    return _found([*blocks, *_named(query, spec.blocks)])


def _named(query: SearchQuery, names: Sequence[str]) -> list[Block]:
    blocks = query.store.blocks(query.principal, names, at=query.at)
    known = {block.id for block in blocks}
    for name in names:
        if name not in known:
            raise InputError("the corpus has no such block", found=name)
    documents = meeting_filters(query, [*dict.fromkeys(each.document_id for each in blocks)])
    return [block for block in blocks if block.document_id in documents]


def _found(blocks: Iterable[Block]) -> list[RankedBlock]:
    once = {block.id: block for block in blocks}
    return [
        RankedBlock(block.id, block.document_id, 1.0, lambda _: _PARTS) for block in once.values()
    ]
