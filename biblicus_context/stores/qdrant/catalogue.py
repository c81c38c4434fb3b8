"""What a process knows of a collection besides its texts, words and embeddings: it grows with each commit.

It is made from the packs that the head names, and then from what each newer head adds. So a look-up costs no
trip, and a filter means here exactly what it means in every store.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.stores.model import Document
from biblicus_context.stores.moments import microseconds, moment
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.qdrant.head import Facts, Head
from biblicus_context.stores.qdrant.texts import document_as_json, document_of
from biblicus_context.stores.results import BlockPlace, Usage
from biblicus_context.stores.source import WIDTH, Message

FOREVER: Final = 1 << 62
"""`removed` of what nothing has removed."""
MOST_VERSIONS: Final = 10_000
"""Versions whose times are known, and that can be read."""
MOST_TOKENS: Final = 1000

Arrow = tuple[str, str, str]


class NamedBlock(NamedTuple):
    """A block without its text."""

    id: str
    position: int
    tokens: int
    words: int
    session: str | None
    metadata: Mapping[str, Any] = {}

    @property
    def as_json(self) -> list[Any]:
        """As packs have it."""
        return [*self] if self.metadata else [*self[:5]]


@dataclass(slots=True, eq=False)
class KnownDocument:
    """A document as one write put it, from the version that added it to the one that removed it."""

    row: int
    added: int
    document: Document
    write: str
    """Whose points have the texts of its blocks,"""
    offset: int
    """from this number on."""
    first: int
    """The row of its first block."""
    blocks: tuple[NamedBlock, ...]
    models: tuple[int, ...]
    """By number: the models of its embeddings."""
    removed: int = FOREVER

    def is_alive(self, at: int) -> bool:
        """Whether a version shows it."""
        return self.added <= at < self.removed

    def place(self, n: int) -> BlockPlace:
        """The place of its block with this number."""
        block = self.blocks[n]
        return BlockPlace(block.id, self.document.id, block.session, block.position, block.tokens)


@dataclass(slots=True, eq=False)
class KnownRelation:
    """A relation, from the version that began it to the one that ended it."""

    source: str
    target: str
    type: str
    weight: float
    added: int
    removed: int = FOREVER

    @property
    def arrow(self) -> Arrow:
        return self.source, self.target, self.type

    @property
    def as_json(self) -> list[Any]:
        """As facts keep it."""
        return [self.source, self.target, self.type, self.weight, self.added, self.removed]


def is_readable(document: Document, who: Principal) -> bool:
    """Whether a principal may read a document, of whatever version."""
    readers = document.readers
    if who.sees_all or readers.are_everybody:
        return True
    return who.user in readers.users or not readers.groups.isdisjoint(who.groups)


class Catalogue:
    """Documents and facts of all versions that are kept.

    Who changes it, or goes through all of something, holds the lock of the collection; single things are
    looked up without.
    """

    def __init__(self, repacked: int) -> None:
        self.repacked = repacked
        self.seq = 0
        """The last commit that it knows."""
        self.cleaned = 0
        self.documents = 0
        """The last row of a document that it knows."""
        self.records: dict[int, KnownDocument] = {}
        """By row, in rising order."""
        self.by_id: dict[str, list[KnownDocument]] = {}
        self.of_block: dict[str, list[tuple[KnownDocument, int]]] = {}
        self.children: dict[str, list[KnownDocument]] = {}
        self.superseded: dict[str, list[KnownDocument]] = {}
        self.by_write: dict[str, list[KnownDocument]] = {}
        self.aging: dict[int, KnownDocument] = {}
        """Those that are valid from or to some time, by row."""
        self.messages: list[Message] = []
        self._tables: list[Integers] = []
        self.relations: dict[Arrow, list[KnownRelation]] = {}
        self.ends: dict[str, set[Arrow]] = {}
        """The arrows at each document."""
        self.usage: dict[str, tuple[int, int, int, int | None]] = {}
        self.accessed: dict[int, int] = {}
        """The last use of documents, by row."""
        self.activity: dict[str, dict[tuple[str, str], tuple[int, int]]] = {}
        """By user, then by document and action: the last time, and how often."""
        self.tokens: dict[str, tuple[int, bool]] = {}
        self.written: dict[int, int] = {}
        """When each version was written, in microseconds."""
        self.ended: dict[tuple[str, str], int] = {}

    # Growing

    def take(self, documents: Iterable[Sequence[Any]]) -> None:
        """Learn of documents, in rising rows; those that are known are skipped."""
        columns: list[tuple[int, ...]] = []
        for row, added, document, write, offset, first, blocks, models in documents:
            if row <= self.documents:
                continue
            named = tuple(NamedBlock(*each) for each in blocks)
            record = KnownDocument(
                row, added, document_of(document), write, offset, first, named, tuple(models)
            )
            self._add(record)
            columns += _columns(record)
        if columns:
            self._tables.append(np.array(columns, dtype=np.int64))

    def _add(self, record: KnownDocument) -> None:
        document = record.document
        self.documents = record.row
        self.records[record.row] = record
        self.by_id.setdefault(document.id, []).append(record)
        self.by_write.setdefault(record.write, []).append(record)
        for n, each in enumerate(record.blocks):
            self.of_block.setdefault(each.id, []).append((record, n))
        if document.valid_from is not None or document.valid_to is not None:
            self.aging[record.row] = record
        if document.parent is not None:
            self.children.setdefault(document.parent, []).append(record)
        if document.superseded_by is not None:
            self.superseded.setdefault(document.superseded_by, []).append(record)
        if document.conversation is not None:
            when = document.created or document.updated
            made = 0 if when is None else microseconds(when)
            self.messages.append(Message(record.row, document.conversation, made))

    def learn(self, facts: Facts) -> None:
        """Learn facts, which may be known; of those about one thing, the last counts."""
        for row, version in facts.get("gone", ()):
            if row in self.records:
                self.records[row].removed = version
        for each in facts.get("relations", ()):
            self._relate(KnownRelation(*each))
        self._learn_uses(facts)
        for token, version, removes in facts.get("tokens", ()):
            self.tokens[token] = version, removes
        self.written |= dict(facts.get("written", ()))
        self.ended |= {(one, other): version for one, other, version in facts.get("ended", ())}
        _bound(self.tokens, MOST_TOKENS)
        _bound(self.written, MOST_VERSIONS)

    def _learn_uses(self, facts: Facts) -> None:
        for block, counts in facts.get("usage", {}).items():
            if counts is None:
                self.usage.pop(block, None)
            else:
                self.usage[block] = tuple(counts)
        self.accessed |= {int(row): when for row, when in facts.get("accessed", {}).items()}
        for who, document, action, last, times in facts.get("activity", ()):
            own = self.activity.setdefault(who, {})
            if last is None:
                own.pop((document, action), None)
            else:
                own[document, action] = last, times

    def _relate(self, relation: KnownRelation) -> None:
        known = self.relations.setdefault(relation.arrow, [])
        kept = [each for each in known if each.added != relation.added]
        self.relations[relation.arrow] = [*kept, relation]
        for end in (relation.source, relation.target):
            self.ends.setdefault(end, set()).add(relation.arrow)

    def forget_up_to(self, version: int) -> None:
        """Forget what was removed up to a version: it is in no point any more."""
        self.cleaned = version
        gone = [each for each in self.records.values() if each.removed <= version]
        for record in gone:
            self._drop(record)
        for arrow, known in [*self.relations.items()]:
            kept = [each for each in known if each.removed > version]
            if kept:
                self.relations[arrow] = kept
            else:
                del self.relations[arrow]
                for end in arrow[:2]:
                    own = self.ends.get(end, set())
                    own.discard(arrow)
                    if not own:
                        self.ends.pop(end, None)
        if gone:
            rows = {each.row for each in gone}
            self.messages = [each for each in self.messages if each.document not in rows]

    def _drop(self, record: KnownDocument) -> None:
        document = record.document
        del self.records[record.row]
        self.aging.pop(record.row, None)
        _without(self.by_id, document.id, record)
        _without(self.by_write, record.write, record)
        for n, each in enumerate(record.blocks):
            _without(self.of_block, each.id, (record, n))
        if document.parent is not None:
            _without(self.children, document.parent, record)
        if document.superseded_by is not None:
            _without(self.superseded, document.superseded_by, record)
        self.accessed.pop(record.row, None)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        blocks = sum(map(len, self._tables))
        return 1200 * len(self.records) + 500 * blocks + 600 * len(self.relations)

    # Packing

    def packed(self, first: int, last: int) -> list[list[Any]]:
        """The documents in a range of rows, as a pack has them."""
        return [record_as_json(each) for row, each in self.records.items() if first <= row <= last]

    @property
    def facts(self) -> Facts:
        """All of them."""
        return {
            "gone": [
                [each.row, each.removed]
                for each in self.records.values()
                if each.removed != FOREVER
            ],
            "relations": [each.as_json for known in self.relations.values() for each in known],
            "usage": {block: [*counts] for block, counts in self.usage.items()},
            "accessed": {str(row): when for row, when in self.accessed.items()},
            "activity": [
                [who, *key, *each]
                for who, own in self.activity.items()
                for key, each in own.items()
            ],
            "tokens": [[token, *each] for token, each in self.tokens.items()],
            "written": [[*each] for each in self.written.items()],
            "ended": [[*names, version] for names, version in self.ended.items()],
        }

    # Looking up

    def alive(self, id_: str, at: int) -> KnownDocument | None:
        """A document as a version shows it."""
        for each in reversed(self.by_id.get(id_, ())):
            if each.is_alive(at):
                return each
        return None

    def block(self, id_: str, at: int) -> tuple[KnownDocument, int] | None:
        """The document of a block in a version, and the block's number in it."""
        for record, n in reversed(self.of_block.get(id_, ())):
            if record.is_alive(at):
                return record, n
        return None

    def table(self, after: int, last: int) -> Integers:
        """The short columns of the blocks in a range of rows."""
        if len(self._tables) > 1:
            self._tables = [np.concatenate(self._tables)]
        if not self._tables:
            return np.empty((0, WIDTH), dtype=np.int64)
        rows = self._tables[0]
        return rows[
            rows[:, 0].searchsorted(after, "right") : rows[:, 0].searchsorted(last, "right")
        ]

    def of_rows(self, rows: Sequence[int]) -> Iterator[tuple[int, KnownDocument, int]]:
        """The document of each row of a block that is known, and the block's number in it."""
        table = self.table(0, FOREVER)
        wanted = np.array(rows, dtype=np.int64)
        at = table[:, 0].searchsorted(wanted)
        for row, place in zip(rows, at.tolist(), strict=True):
            if place < len(table) and table[place, 0] == row:
                record = self.records.get(int(table[place, 1]))
                if record is not None:
                    yield row, record, row - record.first

    def of_text(self, write: str, number: int) -> KnownDocument | None:
        """The document of a text by the point that has it."""
        for each in self.by_write.get(write, ()):
            if each.offset <= number < each.offset + len(each.blocks):
                return each
        return None

    def shown(self, record: KnownDocument) -> Document:
        """The document with its last use."""
        last = moment(self.accessed.get(record.row))
        if last is None:
            return record.document
        own = record.document
        return replace(own, accessed=max(last, own.accessed or last))

    def used(self, block: str) -> Usage:
        """How often a block was used."""
        if block not in self.usage:
            return Usage()
        used, helpful, unhelpful, last = self.usage[block]
        return Usage(used, helpful, unhelpful, moment(last))

    def written_at(self, version: int) -> int | None:
        """When a version, or the last one before it whose time is kept, was written."""
        if version in self.written:
            return self.written[version]
        known = sorted(self.written)
        place = bisect_right(known, version)
        return self.written[known[place - 1]] if place else None

    def ended_before(self, head: Head, who: Principal) -> int:
        """The oldest version that a principal can read."""
        if who.sees_all:
            return head.oldest
        names = {*reader_names(who)}
        versions = [
            version
            for (one, other), version in self.ended.items()
            if one in names and other in names
        ]
        return max(versions, default=0)


def reader_names(who: Principal) -> list[str]:
    """The names of a principal as points keep them: the name itself may be what is to be forgotten."""
    named = [("g", each) for each in sorted(who.groups)]
    named += [] if who.user is None else [("u", who.user)]
    return ["", *(digest(*each) for each in named)]


def digest(*names: str) -> str:
    """What a name is kept as."""
    return blake2b("\0".join(names).encode(errors="surrogatepass"), digest_size=12).hexdigest()


def readers_of(document: Document) -> list[str]:
    """Who may read a document, by the same names."""
    readers = document.readers
    if readers.are_everybody:
        return [""]
    users = [digest("u", each) for each in sorted(readers.users)]
    return users + [digest("g", each) for each in sorted(readers.groups)]


def record_as_json(record: KnownDocument) -> list[Any]:
    """As a pack has it."""
    return [
        record.row, record.added, document_as_json(record.document, ""), record.write, record.offset,
        record.first, [each.as_json for each in record.blocks], [*record.models],
    ]  # fmt: skip


def _columns(record: KnownDocument) -> Iterator[tuple[int, ...]]:
    firsts: dict[str | None, int] = {}
    for row, each in enumerate(record.blocks, start=record.first):
        first = firsts.setdefault(each.session, row)
        is_turn = each.session is not None
        yield row, record.row, each.words, each.position, each.tokens, first, is_turn


def _without(index: dict[str, list[Any]], key: str, value: object) -> None:
    kept = [each for each in index.get(key, ()) if each != value]
    if kept:
        index[key] = kept
    else:
        index.pop(key, None)


def _bound(known: dict[Any, Any], most: int) -> None:
    while len(known) > most:
        del known[next(iter(known))]
