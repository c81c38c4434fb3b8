"""A corpus as lines of JSON: each document, then its blocks and its relations."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from biblicus_context.corpora.corpus import Corpus
from biblicus_context.corpora.listed_documents import Sight, listed_documents
from biblicus_context.ingest.records.record_lines import readers_line
from biblicus_context.stores import (
    Block,
    Document,
    Json,
    Principal,
    Relation,
    Store,
    Usage,
    VersionGoneError,
    View,
)

FORMAT: Final = 1
"""Increased when a program that reads older exports would misread a line."""
_PAGE: Final = 100

Line = dict[str, Json]


def exported(corpus: Corpus, *, vectors: bool = False) -> Iterator[Line]:
    """What the principal may read of one version, line by line; the first line describes the corpus.

    Where something is removed meanwhile, what follows is of the newest version.

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
    store = corpus.store
    last: str | None = None
    while True:
        try:
            for document in listed_documents(store, who, after=last, at=version):
                sight = Sight(store, who, version)
                # Nothing is returned inside a view: whoever writes the lines may take long between two.
                with store.view(who, at=version) as view:
                    lines = [*_lines_of(view, document.id, models)]
                last = document.id
                yield _document(document)
                was_hidden = False
                for line in lines:
                    was_hidden = was_hidden or sight.has_changed()
                    if not was_hidden or _may_show(store, who, line):
                        yield line
        except VersionGoneError:  # something was removed: the rest is of the newest version
            with store.view(who) as view:
                version = view.version
        else:
            return


def _lines_of(view: View, document_id: str, models: Sequence[str]) -> Iterator[Line]:
    for blocks in _pages(view.blocks_of([document_id])):
        ids = [block.id for block in blocks]
        rows = {model: view.vectors(model, ids) for model in models}
        usage = view.usage(ids)
        for block in blocks:
            own = {model: row[block.id] for model, row in rows.items() if block.id in row}
            yield _block(block, own, usage.get(block.id))
    yield from map(_relation, view.relations([document_id]))


def _may_show(store: Store, who: Principal, line: Line) -> bool:
    """Whether the documents of a line that was read before can still be read."""
    named = {str(line[name]) for name in ("document", "source", "target") if name in line}
    with store.view(who) as view:
        return len(view.documents(sorted(named))) == len(named)


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
            "readers": readers_line(document.readers),
            "own_readers": document.own_readers,
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


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
