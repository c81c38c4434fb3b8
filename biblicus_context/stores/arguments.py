"""What callers pass to a store, checked once at its door: every store may rely on what passes here."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Final, get_args

from biblicus_context.base.metadata_values import metadata_key, scalar
from biblicus_context.errors import InputError
from biblicus_context.stores import checks
from biblicus_context.stores.filter_conditions import Condition, Equals, OneOf, TimeRange
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.found import BM25, SearchRequest
from biblicus_context.stores.model import Batch, Block, Document, Entry, Relation, Vectors
from biblicus_context.stores.principal import Readers
from biblicus_context.stores.results import Action, Bm25, Direction

MOST_DIMENSIONS: Final = 65_536
MOST_ACTIVITY: Final = 1000
"""Documents and actions that are kept for each user."""

_RESOLVED: Final = "Call Filters.resolved(now) first."
_TYPED: Final = "Make them with Filters(...), or from a mapping with Filters.parse(...)."


@dataclass(frozen=True, slots=True)
class RecordedUsage:
    """Blocks whose use or feedback is counted."""

    used: tuple[str, ...]
    helpful: tuple[str, ...]
    unhelpful: tuple[str, ...]
    when: datetime | None


@dataclass(frozen=True, slots=True)
class ActivityQuery:
    """Which activity is read."""

    actions: tuple[Action, ...]
    since: datetime | None
    documents: tuple[str, ...] | None
    limit: int


def batch_of(batch: Batch) -> Batch:
    """The batch with valid texts and each document's blocks in order.

    Whether metadata is JSON is checked when it is written: to check it here would encode it twice.
    """
    _require(batch, Batch)
    entries = []
    for n, entry in enumerate(checks.several(batch.put, "entries", "put")):
        with checks.inside(f"put[{n}]"):
            entries.append(_entry(entry))
    _once((each.document.id for each in entries), "put", "document")
    _once((block.id for each in entries for block in each.blocks or ()), "put", "block")
    for document_id in checks.sequence(batch.remove, "remove"):
        checks.name(document_id, "remove")
    for part, relations in (("relate", batch.relate), ("unrelate", batch.unrelate)):
        for n, relation in enumerate(checks.several(relations, "relations", part)):
            with checks.inside(f"{part}[{n}]"):
                _relation(relation)
    return replace(batch, put=tuple(entries))


def _entry(entry: Entry) -> Entry:
    _require(entry, Entry)
    _require(entry.document, Document, "document")
    with checks.inside("document"):
        document = checked_document(entry.document)
    if entry.blocks is None:
        if entry.vectors:
            fix = "Put the blocks too, or leave the vectors out."
            raise InputError("vectors need blocks in the same entry", place="vectors", fix=fix)
        return Entry(document)
    blocks = _blocks(checks.several(entry.blocks, "blocks", "blocks"), document)
    for n, vectors in enumerate(checks.several(entry.vectors, "vectors", "vectors")):
        with checks.inside(f"vectors[{n}]"):
            _vectors(vectors, len(blocks))
    _once((each.model for each in entry.vectors), "vectors", "model")
    order = sorted(range(len(blocks)), key=lambda n: (blocks[n].position, blocks[n].id))
    return Entry(
        document,
        tuple(blocks[n] for n in order),
        tuple(each.picked(order) for each in entry.vectors),
    )


def checked_document(document: Document) -> Document:
    """A document with valid texts, whatever is in its fields."""
    checks.name(document.id, "id")
    checks.name(document.kind, "kind")
    checks.optional_name(document.path, "path")
    checks.optional_name(document.uri, "uri")
    checks.optional_name(document.conversation, "conversation")
    checks.optional_name(document.parent, "parent")
    checks.optional_name(document.superseded_by, "superseded_by")
    if document.position is not None:
        checks.whole(document.position, "position")
    checks.optional_number(document.confidence, "confidence")
    checks.optional_number(document.importance, "importance")
    _times(document)
    checks.mapping(document.metadata, "metadata")
    _readers(document.readers)
    if not isinstance(document.own_readers, bool | None):
        found = document.own_readers
        raise InputError("True, False or None is expected", place="own_readers", found=found)
    return replace(
        document,
        title=checks.text(document.title, "title"),
        text_hash=checks.text(document.text_hash, "text_hash"),
        tags=_names(document.tags, "tags"),
    )


def _times(document: Document) -> None:
    times: Mapping[str, datetime | None] = {
        "created": document.created,
        "updated": document.updated,
        "accessed": document.accessed,
        "valid_from": document.valid_from,
        "valid_to": document.valid_to,
    }
    for part, value in times.items():
        checks.optional_moment(value, part)


def _names(values: Iterable[str], place: str) -> tuple[str, ...]:
    named = (checks.name(each, place) for each in checks.sequence(values, place))
    return tuple(dict.fromkeys(named))


def _readers(readers: Readers) -> None:
    if not isinstance(readers, Readers):
        fix = "Pass Readers(users=..., groups=...)."
        raise InputError("readers are typed", place="readers", found=readers, fix=fix)
    _names(readers.users, "readers.users")
    _names(readers.groups, "readers.groups")
    if not isinstance(readers.closed, bool):
        raise InputError("True or False is expected", place="readers.closed", found=readers.closed)


def _blocks(blocks: Iterable[Block], document: Document) -> list[Block]:
    found: list[Block] = []
    try:
        for block in blocks:
            found.append(_block(block, document))  # noqa: PERF401 - its length says which one failed
    except InputError:
        with checks.inside(f"blocks[{len(found)}]"):
            raise
    return found


def _block(block: Block, document: Document) -> Block:
    _require(block, Block)
    checks.name(block.id, "id")
    if block.document_id != document.id:
        problem = "the block belongs to another document"
        raise InputError(problem, place="document_id", found=block.document_id)
    checks.whole(block.position, "position")
    checks.whole(block.tokens, "tokens")
    checks.optional_name(block.session, "session")
    checks.mapping(block.metadata, "metadata")
    if block.lines is not None:
        _lines(block.lines)
    text = checks.text(block.text, "text")
    heading = tuple(
        checks.text(each, "heading") for each in checks.sequence(block.heading, "heading")
    )
    indexed = block.indexed_text
    if indexed is not None:
        indexed = checks.text(indexed, "indexed_text")
    if (text, heading, indexed) == (block.text, block.heading, block.indexed_text):
        return block
    return replace(block, text=text, heading=heading, indexed_text=indexed)


def _lines(lines: Sequence[int]) -> None:
    if not isinstance(lines, Sequence) or len(lines) != 2:
        raise InputError(
            "two lines are expected, the first and the last one", place="lines", found=lines
        )
    first = checks.whole(lines[0], "lines", least=1)
    checks.whole(lines[1], "lines", least=first)


def _vectors(vectors: Vectors, blocks: int) -> None:
    _require(vectors, Vectors)
    checks.name(vectors.model, "model")
    checks.whole(vectors.dimensions, "dimensions", least=1 if blocks else 0)
    if vectors.dimensions > MOST_DIMENSIONS:
        problem = f"more than {MOST_DIMENSIONS:,} dimensions"
        raise InputError(problem, place="dimensions", found=vectors.dimensions)
    if not isinstance(vectors.data, bytes | bytearray | memoryview):
        found = type(vectors.data).__name__
        raise InputError("packed float32 are expected", place="data", found=found)
    if len(vectors.data) != 4 * vectors.dimensions * blocks:
        problem = f"{vectors.dimensions} float32 are expected for each of {blocks} block(s)"
        raise InputError(problem, place="data", found=len(vectors.data) / 4)
    if vectors.keys and len(vectors.keys) != blocks:
        raise InputError(
            "a key for each row is expected, or no keys", place="keys", found=len(vectors.keys)
        )
    for key in vectors.keys:
        checks.name(key, "keys")


def _relation(relation: Relation) -> None:
    _require(relation, Relation)
    checks.name(relation.source, "source")
    checks.name(relation.target, "target")
    checks.name(relation.type, "type")
    checks.number(relation.weight, "weight")


def _require(value: object, kind: type, place: str | None = None) -> None:
    if not isinstance(value, kind):
        problem, found = f"an object of {kind.__name__} is expected", type(value).__name__
        raise InputError(problem, place=place, found=found)


def _once(ids: Iterable[str], place: str, noun: str) -> None:
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise InputError(f"the {noun} appears twice", place=place, found=each)
        seen.add(each)


def filters_of(filters: Filters) -> Filters:
    """Valid filters: every part has its type and can be bound to an SQL statement."""
    if not isinstance(filters, Filters):
        raise InputError("filters are typed", place="filters", found=filters, fix=_TYPED)
    if filters is NO_FILTERS:
        return filters
    for name, check in _FILTER_CHECKS.items():
        value = getattr(filters, name)
        usual = getattr(NO_FILTERS, name)
        if value != usual or type(value) is not type(usual):
            check(value, f"filters.{name}")
    return filters


def _texts(values: Iterable[str], place: str) -> None:
    for each in values:
        checks.text(each, place)


def _range(times: TimeRange | None, place: str) -> None:
    if times is None:
        return
    checks.optional_moment(times.since, f"{place}.since")
    checks.optional_moment(times.before, f"{place}.before")
    if times.within is not None:
        raise InputError("not a fixed time", place=f"{place}.within", fix=_RESOLVED)


def _conditions(conditions: Iterable[Condition], place: str) -> None:
    for condition in conditions:
        _condition(condition, place)


_BY_TYPE: Final[Mapping[str, Callable[[Any, str], object]]] = {
    "frozenset[str]": _texts,
    "tuple[str, ...]": _texts,
    "TimeRange | None": _range,
    "datetime | None": checks.optional_moment,
    "float | None": checks.optional_number,
    "bool": checks.boolean,
    "tuple[Condition, ...]": _conditions,
}
"""What is checked of a filter follows from its type, so that a new one needs nothing here."""


def _condition(condition: Condition, place: str) -> None:
    with checks.inside(place):
        key = metadata_key(condition.key)
    with checks.inside(f"{place}.{key}"):
        for value in _values(condition):
            scalar(value)


def _values(condition: Condition) -> Iterable[object]:
    match condition:
        case Equals():
            return (condition.value,)
        case OneOf():
            return condition.values
    return condition.low, condition.high


_FILTER_CHECKS: Final = {each.name: _BY_TYPE[str(each.type)] for each in fields(Filters)}


def terms_of(values: Sequence[str], place: str) -> tuple[str, ...]:
    """Checked terms."""
    terms = checks.sequence(values, place)
    if not terms:
        return terms
    try:
        "".join(terms).encode()
    except (TypeError, UnicodeEncodeError):  # no text, or half of a surrogate pair: which one it is
        return tuple([checks.text(each, place) for each in terms])
    return terms


def search_of(request: SearchRequest) -> SearchRequest:
    """A checked request: its texts are sound, and its numbers can be computed with."""
    if not isinstance(request, SearchRequest):
        fix = "Use SearchRequest(terms=..., vector=...)."
        raise InputError("a search is a SearchRequest", found=request, fix=fix)
    similarity = request.similarity
    if similarity is not None and not 0.0 < checks.number(similarity, "similarity") <= 1.0:
        raise InputError("must be above 0 and up to 1", place="similarity", found=similarity)
    checks.whole(request.limit, "limit")
    checks.whole(request.turn_limit, "turn_limit")
    if request.weights is not BM25:
        _weights(request.weights)
    filters_of(request.filters)
    if request.vector is not None:
        query_of(request.vector)
    sound = (terms_of(request.terms, "terms"), terms_of(request.words, "words"))
    if sound == (request.terms, request.words):
        return request
    return replace(request, terms=sound[0], words=sound[1])


def _weights(value: Bm25) -> Bm25:
    """Weights with which all scores are finite."""
    each = (value.heading, value.text, value.k1, value.b)
    if (
        {*map(type, each)} <= {int, float}
        and max(each) < checks.LARGEST
        and all(map(math.isfinite, each))
        and min(each) >= 0
        and value.b <= 1.0
    ):
        return value
    named = {"heading": value.heading, "text": value.text, "k1": value.k1, "b": value.b}
    for name, weight in named.items():
        checks.positive(weight, f"weights.{name}")
    if value.b > 1.0:
        raise InputError("must be up to 1", place="weights.b", found=value.b)
    return value


def query_of(vectors: Vectors) -> Vectors:
    """One embedding, of finite numbers."""
    checks.name(vectors.model, "query.model")
    if vectors.rows != 1 or len(vectors.data) != 4 * vectors.dimensions:
        raise InputError("exactly one embedding is expected", place="query", found=vectors.rows)
    numbers = struct.unpack(f"<{vectors.dimensions}f", vectors.data)
    if not all(map(math.isfinite, numbers)):
        raise InputError("an embedding must consist of finite numbers", place="query")
    return vectors


def direction_of(value: Direction) -> Direction:
    """A known direction."""
    if value not in get_args(Direction):
        valid = get_args(Direction)
        raise InputError("not a direction", place="direction", found=value, valid=valid)
    return value


def activity_of(
    actions: Collection[Action],
    since: datetime | None,
    documents: Collection[str] | None,
    limit: int,
) -> ActivityQuery:
    """A checked query; without actions, all of them."""
    return ActivityQuery(
        tuple(action_of(each) for each in actions) or get_args(Action),
        checks.optional_moment(since, "since"),
        None if documents is None else checks.ids(documents, "documents"),
        checks.whole(limit, "limit"),
    )


def action_of(value: Action) -> Action:
    """A known action."""
    if value not in get_args(Action):
        raise InputError("not an action", place="action", found=value, valid=get_args(Action))
    return value


def moment_of(value: datetime) -> datetime:
    """A time with its zone."""
    found = checks.optional_moment(value, "when")
    if found is None:
        raise InputError("a time is expected", place="when", found=value)
    return found


def usage_of(
    used: Sequence[str], helpful: Sequence[str], unhelpful: Sequence[str], when: datetime | None
) -> RecordedUsage:
    """Checked ids, and the time of the use: required if blocks were used."""
    ids = checks.ids(used, "used")
    moment = checks.optional_moment(when, "when")
    if ids and moment is None:
        fix = "For example datetime.now(timezone.utc)."
        raise InputError("used blocks need the time of the use", place="when", found=when, fix=fix)
    return RecordedUsage(
        ids, checks.ids(helpful, "helpful"), checks.ids(unhelpful, "unhelpful"), moment
    )
