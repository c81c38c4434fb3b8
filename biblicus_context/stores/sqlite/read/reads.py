"""The reading side of the store, whole: arguments are checked, a read begins, another file answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from biblicus_context.stores import checks, filter_checks
from biblicus_context.stores import query_checks as question_checks
from biblicus_context.stores.results import (
    Direction,
    Info,
    Nearby,
    Related,
    Usage,
)
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Block, Document, Relation
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.sqlite.rank.by_number import ByNumber
from biblicus_context.stores.sqlite.rank.by_question import ByQuestion
from biblicus_context.stores.sqlite.read import relations, sequence
from biblicus_context.stores.sqlite.read import info as numbers
from biblicus_context.stores.sqlite.read import lookups as reader
from biblicus_context.stores.sqlite.read import usage as use


class SqliteReads(ByQuestion, ByNumber):
    """Each method's contract is that of the Protocol `Reads`."""

    def version(self, principal: Principal) -> int:
        """The newest version of the workspace."""
        with self._reading(principal) as reading:
            return reading.at

    def changed(self, principal: Principal) -> datetime | None:
        """When the newest version was written."""
        with self._reading(principal) as reading:
            return numbers.changed(reading)

    def source(self, principal: Principal) -> str | None:
        """Where documents come from."""
        with self._reading(principal) as reading:
            return numbers.source(reading)

    def blocks(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Block, ...]:
        """Blocks by id."""
        with self._reading(principal, at) as reading:
            return reader.blocks(reading, checks.ids(ids, "ids"))

    def documents(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Document, ...]:
        """Documents by id."""
        with self._reading(principal, at) as reading:
            return reader.documents(reading, checks.ids(ids, "ids"))

    def blocks_of(
        self, principal: Principal, document_id: str, *, at: int | None = None
    ) -> tuple[Block, ...]:
        """All blocks of a document."""
        with self._reading(principal, at) as reading:
            return reader.blocks_of(reading, checks.ids([document_id], "document_id"))

    def list_documents(
        self,
        principal: Principal,
        *,
        filters: Filters = NO_FILTERS,
        after: str | None = None,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """Documents in the order of their ids."""
        start = checks.optional_name(after, "after")
        most = checks.whole(limit, "limit")
        with self._reading(principal, at) as reading:
            return reader.listed(reading, filter_checks.checked(filters), start, most)

    def neighbours(
        self,
        principal: Principal,
        block_id: str,
        *,
        before: int = 1,
        after: int = 1,
        at: int | None = None,
    ) -> tuple[Block, ...]:
        """A block and those around it."""
        reach = checks.whole(before, "before"), checks.whole(after, "after")
        with self._reading(principal, at) as reading:
            return sequence.neighbours(reading, checks.ids([block_id], "block_id"), *reach)

    def nearby(
        self,
        principal: Principal,
        block_ids: Sequence[str],
        *,
        reach: int = 4,
        at: int | None = None,
    ) -> tuple[Nearby, ...]:
        """The places around many blocks."""
        most = checks.whole(reach, "reach")
        with self._reading(principal, at) as reading:
            return sequence.nearby(reading, checks.ids(block_ids, "block_ids"), most)

    def related(
        self,
        principal: Principal,
        document_id: str,
        *,
        types: Collection[str] = (),
        direction: Direction = "out",
        depth: int = 1,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Related, ...]:
        """Documents around a document."""
        way = relations.Way(
            frozenset(checks.sequence(types, "types")),
            question_checks.direction(direction),
            checks.whole(depth, "depth"),
            checks.whole(limit, "limit"),
        )
        with self._reading(principal, at) as reading:
            return relations.related(reading, checks.ids([document_id], "document_id"), way)

    def relations_of(
        self, principal: Principal, document_ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Relation, ...]:
        """Relations by their source."""
        with self._reading(principal, at) as reading:
            return relations.of(reading, checks.ids(document_ids, "document_ids"))

    def usage(self, principal: Principal, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        """How blocks have been used."""
        with self._reading(principal) as reading:
            return use.usage(reading, checks.ids(block_ids, "block_ids"))

    def known_vectors(
        self, principal: Principal, model: str, keys: Sequence[str]
    ) -> Mapping[str, bytes]:
        """Embeddings by their key."""
        with self._reading(principal) as reading:
            name = checks.name(model, "model")
            return reader.known_vectors(reading, name, checks.ids(keys, "keys"))

    def vectors(
        self,
        principal: Principal,
        model: str,
        block_ids: Sequence[str],
        *,
        at: int | None = None,
    ) -> Mapping[str, bytes]:
        """Embeddings by the ids of their blocks."""
        with self._reading(principal, at) as reading:
            name = checks.name(model, "model")
            return reader.vectors(reading, name, checks.ids(block_ids, "block_ids"))

    def fingerprints(self, principal: Principal) -> Mapping[str, str]:
        """The text hash of every document."""
        with self._reading(principal) as reading:
            return reader.fingerprints(reading)

    def info(self, principal: Principal, *, at: int | None = None) -> Info:
        """What can be seen, in numbers."""
        with self._reading(principal, at) as reading:
            return numbers.info(reading)
