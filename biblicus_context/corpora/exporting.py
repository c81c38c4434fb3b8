"""A corpus as lines of JSON: each document, then its blocks and its relations."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from biblicus_context.corpora.corpus import Corpus
from biblicus_context.stores import (
    NO_FILTERS,
    Block,
    Document,
    Filters,
    Json,
    Readers,
    Relation,
    Usage,
    View,
)

FORMAT: Final = 1
"""Increased when a program that reads older exports would misread a line."""
_PAGE: Final = 100

Line = dict[str, Json]


def exported(corpus: Corpus, *, vectors: bool = False) -> Iterator[Line]:
    """What the principal may read of one version, line by line; the first line describes the corpus.

    `vectors` adds the embeddings of every block by model, as base64 of little-endian float32.
    """
    who = corpus.principal
    with corpus.index.view() as view:
        version, info = view.version, view.info()
    models = [*info.vectors] if vectors else []
    yield {
        "type": "corpus",
        "format": FORMAT,
        "name": corpus.name,
        "workspace": who.workspace,
        "version": version,
        "documents": info.documents,
        "blocks": info.blocks,
        "models": {model: info.vectors[model].dimensions for model in models},
    }
    for document in documents(corpus, at=version):
        # One document in each view: whoever writes the lines may take long between two of them.
        with corpus.index.view(version) as view:
            lines = [*_lines(view, document, models)]
        yield from lines


def _lines(view: View, document: Document, models: Sequence[str]) -> Iterator[Line]:
    yield _document(document)
    for blocks in _pages(view.blocks_of([document.id])):
        ids = [block.id for block in blocks]
        rows = {model: view.vectors(model, ids) for model in models}
        usage = view.usage(ids)
        for block in blocks:
            own = {model: row[block.id] for model, row in rows.items() if block.id in row}
            yield _block(block, own, usage.get(block.id))
    yield from map(_relation, view.relations([document.id]))


def documents(
    corpus: Corpus, filters: Filters = NO_FILTERS, *, at: int | None = None
) -> Iterator[Document]:
    """All documents that match the filters, by id; only a few at a time are in memory."""
    last: str | None = None
    while page := _page(corpus, filters, last, at):
        yield from page
        last = page[-1].id


def _page(
    corpus: Corpus, filters: Filters, after: str | None, at: int | None
) -> Sequence[Document]:
    with corpus.index.view(at) as view:
        return view.list_documents(filters=filters, after=after, limit=_PAGE)


def _pages(blocks: Sequence[Block]) -> Iterator[Sequence[Block]]:
    return (blocks[start : start + _PAGE] for start in range(0, len(blocks), _PAGE))


def _document(document: Document) -> Line:
    return _without_empty(
        {
            "type": "document",
            "id": document.id,
            "kind": document.kind,
            "title": document.title,
            "path": document.path,
            "uri": document.uri,
            "text_hash": document.text_hash,
            "created": _moment(document.created),
            "updated": _moment(document.updated),
            "accessed": _moment(document.accessed),
            "confidence": document.confidence,
            "importance": document.importance,
            "conversation": document.conversation,
            "parent": document.parent,
            "position": document.position,
            "superseded_by": document.superseded_by,
            "valid_from": _moment(document.valid_from),
            "valid_to": _moment(document.valid_to),
            "tags": list(document.tags),
            "metadata": document.metadata,
            "readers": _readers(document.readers),
        }
    )


def _block(block: Block, vectors: Mapping[str, bytes], usage: Usage | None) -> Line:
    return _without_empty(
        {
            "type": "block",
            "id": block.id,
            "document": block.document_id,
            "position": block.position,
            "text": block.text,
            "tokens": block.tokens,
            "heading": list(block.heading),
            "lines": list(block.lines) if block.lines else None,
            "session": block.session,
            "metadata": block.metadata,
            "indexed_text": block.indexed_text,
            "use": _use(usage) if usage else None,
            "vectors": {model: b64encode(row).decode() for model, row in vectors.items()},
        }
    )


def _use(usage: Usage) -> Line:
    return {
        "used": usage.used,
        "helpful": usage.helpful,
        "unhelpful": usage.unhelpful,
        "last_used": _moment(usage.last_used),
    }


def _relation(relation: Relation) -> Line:
    return {
        "type": "relation",
        "source": relation.source,
        "target": relation.target,
        "relation": relation.type,
        "weight": relation.weight,
    }


def _without_empty(line: Line) -> Line:
    """Without empty fields."""
    return {name: value for name, value in line.items() if value not in (None, "", [], {})}


def _readers(readers: Readers) -> Json:
    named = {"users": sorted(readers.users), "groups": sorted(readers.groups)}
    return {kind: names for kind, names in named.items() if names}


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
