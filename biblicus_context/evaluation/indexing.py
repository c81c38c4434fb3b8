"""Indexes the records of a collection, each as an ingest would index its kind."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from biblicus_context.corpora import LOCAL, Corpus
from biblicus_context.embedders.registry import default_name
from biblicus_context.evaluation.collection import Collection, CollectionRecord
from biblicus_context.evaluation.indexed import IndexedCollection
from biblicus_context.ingest.documents import FileDocument
from biblicus_context.ingest.embedding import BatchEmbedder
from biblicus_context.retrieval.analysis import code_index_text, text_index_text, turn_index_text
from biblicus_context.spec.corpus import CorpusSettings
from biblicus_context.stores import Batch, Block, Document
from biblicus_context.stores.places import open_place
from biblicus_context.text.counters import default_counter

_A_BATCH: Final = 500
_NAME: Final = re.compile(r"^\s*(?:async\s+)?(?:def|class|func|function|fn)\s+(\w+)", re.MULTILINE)
_DOCSTRING: Final = re.compile(r'("""|\'\'\')(.*?)(?:\1|\Z)', re.DOTALL)


def index_blocks(
    collection: Collection, folder: Path, embedder: str | None = None
) -> IndexedCollection:
    """Each record as one block, whatever its length; pass an empty folder for the store."""
    settings = CorpusSettings(root=str(folder), embedder=embedder or default_name())
    corpus = Corpus(collection.name, settings, store=folder / "store")
    with open_place(corpus.place) as store:
        documents = [*_documents(collection.records)]
        embedding = BatchEmbedder(store, LOCAL, corpus.embedder)
        for some in _batched(documents):
            store.write(LOCAL, Batch(put=embedding.embed(some).entries))
        store.prepare(LOCAL)
    texts = {record.id: record.text for record in collection.records}
    return IndexedCollection(corpus, {each: (each,) for each in texts}, texts, folders={})


def _batched(documents: Sequence[FileDocument]) -> Iterator[Sequence[FileDocument]]:
    for start in range(0, len(documents), _A_BATCH):
        yield documents[start : start + _A_BATCH]


def _documents(records: Sequence[CollectionRecord]) -> Iterator[FileDocument]:
    """One document for each session of a collection, and one for each record that is not a turn."""
    sessions: defaultdict[tuple[str, str], list[CollectionRecord]] = defaultdict(list)
    for record in records:
        session = record.metadata_text("session")
        if session:
            sessions[record.scope, session].append(record)
        else:
            yield _single_document(record)
    for (_, session), turns in sessions.items():
        yield _session(session, sorted(turns, key=lambda turn: turn.order))


def _single_document(record: CollectionRecord) -> FileDocument:
    language = record.metadata_text("language")
    document = Document(
        id=record.id,
        kind="code" if language else "document",
        title=record.metadata_text("title"),
        metadata=_scope(record),
    )
    searched = _code(record, language) if language else text_index_text(record.text)
    block = Block(
        id=record.id,
        document_id=record.id,
        position=0,
        text=record.text,
        tokens=default_counter().count(record.text),
        indexed_text=searched,
    )
    return FileDocument(document, (block,), len(record.text))


def _session(session: str, turns: Sequence[CollectionRecord]) -> FileDocument:
    document = Document(
        id=turns[0].id,
        kind="conversation",
        conversation=session,
        metadata=_scope(turns[0]),
    )
    tokens = default_counter().count_many([turn.text for turn in turns])
    blocks = tuple(
        Block(
            id=turn.id,
            document_id=document.id,
            position=position,
            text=turn.text,
            tokens=count,
            session=session,
            indexed_text=turn_index_text(
                turn.text, speaker=turn.metadata_text("speaker"), date=turn.metadata_text("time")
            ),
        )
        for position, (turn, count) in enumerate(zip(turns, tokens, strict=True))
    )
    return FileDocument(document, blocks, sum(len(turn.text) for turn in turns))


def _code(record: CollectionRecord, language: str) -> str:
    name, docstring = _NAME.search(record.text), _DOCSTRING.search(record.text)
    return code_index_text(
        record.text,
        language=language,
        name=name[1] if name else "",
        docstring=docstring[2].strip() if docstring else "",
    )


def _scope(record: CollectionRecord) -> dict[str, str]:
    return {"collection": record.scope} if record.scope else {}
