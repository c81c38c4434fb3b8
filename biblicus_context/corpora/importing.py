"""A corpus from the lines that an export wrote: documents, their blocks, and their relations."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    FiniteFloat,
    JsonValue,
    TypeAdapter,
    ValidationError,
)

from biblicus_context.base.validation import first_invalid
from biblicus_context.corpora.corpus import Corpus
from biblicus_context.corpora.exporting import FORMAT
from biblicus_context.errors import InputError
from biblicus_context.ingest.records.record_lines import ReadersLine
from biblicus_context.stores import Batch, Block, Document, Entry, Relation, Vectors

_AT_ONCE: Final = 200
"""Documents of a write."""
_NOT_OF_EXPORT: Final = "Pass a file that `corpus export` wrote."


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What was read from an export and written."""

    name: str
    """Of the corpus that was exported."""
    documents: int
    blocks: int
    relations: int


def imported(corpus: Corpus, lines: Iterable[str]) -> ImportSummary:
    """Write what an export has; a document takes the place of the one with its id, and others stay.

    Embeddings are written if the export has them. Counts of use are not.
    """
    who, store = corpus.principal, corpus.index.open_store(create=True)
    read = (_read(line, f"line {n}") for n, line in enumerate(lines, 1) if line.strip())
    head = _head(next(read, None))
    if head.format > FORMAT:
        problem = "the export was written by a newer release"
        raise InputError(problem, place="line 1", found=head.format, fix="Upgrade this package.")
    documents = blocks = relations = 0
    arrows: list[Relation] = []
    for some in _batches(_parts(read)):
        entries = tuple(each.entry for each in some)
        store.write(who, Batch(put=entries), erase=False)
        arrows += (arrow for each in some for arrow in each.relations)
        documents += len(entries)
        blocks += sum(len(each.blocks or ()) for each in entries)
    for start in range(0, len(arrows), _AT_ONCE):  # once both ends are there
        store.write(who, Batch(relate=tuple(arrows[start : start + _AT_ONCE])), erase=False)
        relations += len(arrows[start : start + _AT_ONCE])
    store.prepare(who)
    return ImportSummary(head.name, documents, blocks, relations)


def exported_name(line: str) -> str:
    """The name of a corpus, from the first line of its export."""
    return _head(_read(line, "line 1") if line.strip() else None).name


def _head(line: object) -> _CorpusLine:
    if not isinstance(line, _CorpusLine):
        raise InputError("this is not an export of a corpus", place="line 1", fix=_NOT_OF_EXPORT)
    return line


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _CorpusLine(_Line):
    model_config = ConfigDict(extra="ignore")  # the figures of what follows

    type: Literal["corpus"]
    format: int
    name: str


class _DocumentLine(_Line):
    type: Literal["document"]
    id: str
    kind: str = "document"
    title: str = ""
    path: str | None = None
    uri: str | None = None
    text_hash: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    accessed: datetime | None = None
    confidence: FiniteFloat | None = None
    importance: FiniteFloat | None = None
    conversation: str | None = None
    parent: str | None = None
    position: int | None = None
    superseded_by: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, JsonValue] = {}
    readers: ReadersLine = ReadersLine()
    own_readers: bool | None = None

    @property
    def document(self) -> Document:
        fields = {**dict(self), "readers": self.readers.readers}
        del fields["type"]
        return Document(**fields)


class _BlockLine(_Line):
    type: Literal["block"]
    id: str
    document: str
    position: int = 0
    text: str = ""
    tokens: int = 0
    heading: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    session: str | None = None
    metadata: dict[str, JsonValue] = {}
    indexed_text: str | None = None
    use: dict[str, Any] = {}
    vectors: dict[str, str] = {}

    @property
    def block(self) -> Block:
        fields = {**dict(self), "document_id": self.document}
        for name in ("type", "document", "use", "vectors"):
            del fields[name]
        return Block(**fields)


class _RelationLine(_Line):
    type: Literal["relation"]
    source: str
    target: str
    relation: str
    weight: FiniteFloat = 1.0


_LINE: Final = TypeAdapter[_CorpusLine | _DocumentLine | _BlockLine | _RelationLine](
    Annotated[_CorpusLine | _DocumentLine | _BlockLine | _RelationLine, Discriminator("type")]
)


@dataclass(slots=True)
class _Part:
    """A document with what belongs to it."""

    document: Document
    blocks: list[_BlockLine] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)

    @property
    def entry(self) -> Entry:
        """With the embeddings of each model that all of its blocks have."""
        rows: dict[str, list[bytes]] = {}
        for each in self.blocks:
            for model, row in each.vectors.items():
                rows.setdefault(model, []).append(_bytes(row, each.id))
        whole = {model: own for model, own in rows.items() if len(own) == len(self.blocks)}
        vectors = tuple(
            Vectors(model, len(own[0]) // 4, b"".join(own)) for model, own in whole.items()
        )
        return Entry(self.document, tuple(each.block for each in self.blocks), vectors)


def _bytes(row: str, block: str) -> bytes:
    try:
        data = b64decode(row, validate=True)
    except ValueError:
        data = b""
    if not data or len(data) % 4:
        raise InputError("an embedding is base64 of float32", place=f"block '{block}'")
    return data


def _parts(
    lines: Iterator[_CorpusLine | _DocumentLine | _BlockLine | _RelationLine],
) -> Iterator[_Part]:
    part: _Part | None = None
    for line in lines:
        match line:
            case _DocumentLine():
                if part is not None:
                    yield part
                part = _Part(line.document)
            case _BlockLine() if part is not None and line.document == part.document.id:
                part.blocks.append(line)
            case _RelationLine() if part is not None:
                part.relations.append(
                    Relation(line.source, line.target, line.relation, line.weight)
                )
            case _:
                problem = "a line does not follow the document that it belongs to"
                raise InputError(problem, found=line.type, fix=_NOT_OF_EXPORT)
    if part is not None:
        yield part


def _batches(parts: Iterator[_Part]) -> Iterator[list[_Part]]:
    some: list[_Part] = []
    for part in parts:
        some.append(part)
        if len(some) == _AT_ONCE:
            yield some
            some = []
    if some:
        yield some


def _read(line: str, place: str) -> _CorpusLine | _DocumentLine | _BlockLine | _RelationLine:
    try:
        return _LINE.validate_json(line)
    except ValidationError as error:
        invalid = first_invalid(error)
        where = f"{place}.{invalid.place}" if invalid.path else place
        raise InputError(invalid.problem, place=where, fix=_NOT_OF_EXPORT) from None
