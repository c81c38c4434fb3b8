"""Writes the records of a collection as files, and indexes them as any folder is indexed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from biblicus_context.corpora import Corpus
from biblicus_context.embedders.registry import default_name
from biblicus_context.evaluation.collection import Collection, CollectionRecord
from biblicus_context.evaluation.indexed import IndexedCollection
from biblicus_context.ingest.readers.languages import LANGUAGES
from biblicus_context.spec.corpus import CorpusSettings

_SUFFIXES: Final = {language: suffix for suffix, language in reversed(LANGUAGES.items())}


class _Place(NamedTuple):
    """Where the text of a record is written: a file, and a line of it if it is not all of it."""

    file: str
    line: int | None = None


class _File(NamedTuple):
    """A file to write, and the records that it holds."""

    name: str
    text: str
    places: Mapping[str, _Place]


_Writer: TypeAlias = Callable[[Sequence[CollectionRecord], Mapping[str, str]], Iterator[_File]]


def index_files(
    collection: Collection, folder: Path, embedder: str | None = None
) -> IndexedCollection:
    """One file for each record, and one transcript without session names for each session."""
    return _index(collection, folder, embedder, _files)


def index_records(
    collection: Collection, folder: Path, embedder: str | None = None
) -> IndexedCollection:
    """One file of JSON Lines for each scope: the records as they are in the collection."""
    return _index(collection, folder, embedder, _record_files)


def _index(
    collection: Collection, folder: Path, embedder: str | None, files: _Writer
) -> IndexedCollection:
    root = folder / "files"
    scopes = {record.scope for record in collection.records} - {""}
    folders = {scope: f"scope-{number}" for number, scope in enumerate(sorted(scopes))}
    places: dict[str, _Place] = {}
    for file in files(collection.records, folders):
        path = root / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, "utf-8")
        places.update(file.places)
    settings = CorpusSettings(root=str(root), embedder=embedder or default_name())
    corpus = Corpus(collection.name, settings, store=folder / "store")
    corpus.ingest(at_once=None)
    return _found(corpus, places, folders)


def _found(
    corpus: Corpus, places: Mapping[str, _Place], folders: Mapping[str, str]
) -> IndexedCollection:
    texts: dict[str, str] = {}
    on: defaultdict[_Place, list[str]] = defaultdict(list)
    with corpus.index.view() as view:
        for block in view.blocks_of([*{place.file for place in places.values()}]):
            file = block.document_id
            texts[block.id] = block.text
            on[_Place(file)].append(block.id)
            first, last = block.lines or (0, 0)
            for line in range(first, last + 1):
                on[_Place(file, line)].append(block.id)
    blocks = {record: tuple(on[place]) for record, place in places.items()}
    return IndexedCollection(corpus, blocks, texts, folders)


def _files(records: Sequence[CollectionRecord], folders: Mapping[str, str]) -> Iterator[_File]:
    sessions: defaultdict[tuple[str, str], list[CollectionRecord]] = defaultdict(list)
    for number, record in enumerate(records):
        if session := record.metadata_text("session"):
            sessions[record.scope, session].append(record)
            continue
        name = f"{folders.get(record.scope, 'all')}/{number}{_suffix(record)}"
        title = _title(record)
        front = f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n\n" if title else ""
        text = front + record.text
        yield _File(name, text, {record.id: _Place(name)})
    for number, ((scope, _), turns) in enumerate(sessions.items()):
        ordered = sorted(turns, key=lambda turn: turn.order)
        yield _lines(f"{folders.get(scope, 'all')}/talk-{number}.jsonl", ordered, _turn)


def _suffix(record: CollectionRecord) -> str:
    return _SUFFIXES.get(record.metadata_text("language"), ".md" if _title(record) else ".txt")


def _title(record: CollectionRecord) -> str:
    """The title to write into the front matter; source code has none."""
    return "" if record.metadata_text("language") else record.metadata_text("title")


def _turn(record: CollectionRecord) -> dict[str, Any]:
    said = {"speaker": record.metadata_text("speaker"), "date": record.metadata_text("time")}
    return {**{name: each for name, each in said.items() if each}, "text": record.text}


def _record_files(
    records: Sequence[CollectionRecord], folders: Mapping[str, str]
) -> Iterator[_File]:
    scopes: defaultdict[str, list[CollectionRecord]] = defaultdict(list)
    for record in records:
        scopes[record.scope].append(record)
    for scope, some in scopes.items():
        ordered = sorted(some, key=lambda each: each.order)
        yield _lines(f"{folders.get(scope, 'all')}/records.jsonl", ordered, _row)


def _row(record: CollectionRecord) -> dict[str, Any]:
    return {"id": record.id, "text": record.text, "metadata": dict(record.metadata)}


def _lines(
    name: str,
    records: Iterable[CollectionRecord],
    written: Callable[[CollectionRecord], dict[str, Any]],
) -> _File:
    some = [*records]
    text = "".join(f"{json.dumps(written(each), ensure_ascii=False)}\n" for each in some)
    return _File(name, text, {each.id: _Place(name, line) for line, each in enumerate(some, 1)})
