"""A reading of a source on another machine, whose questions travel with those of other searches."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from biblicus_context.base.joining import asked_together
from biblicus_context.stores.arguments import ActivityQuery
from biblicus_context.stores.errors import StoreError, ViewMovedError
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.found import Ahead
from biblicus_context.stores.model import Block, Document, Relation
from biblicus_context.stores.results import (
    Activity,
    BlockPlace,
    Direction,
    EvidenceRow,
    Hit,
    Info,
    Nearby,
    Sibling,
    Usage,
    WorkspaceState,
)
from biblicus_context.stores.source import (
    Ask,
    Names,
    Owner,
    Packs,
    Reading,
    ReadState,
    RemoteSource,
    Wanted,
)


class Expected(NamedTuple):
    """What a reading had when it was read last."""

    pin: ReadState
    owner: Owner
    state: WorkspaceState


class TravellingReading:
    """Asks a reading by way of its source, which answers many questions at once.

    With something `expected` of it, no trip is made to find that out: the first answer tells whether
    it is so. If not, it and everything after it is a ViewMovedError.
    """

    def __init__(
        self, source: RemoteSource, reading: Reading, expected: Expected | None = None
    ) -> None:
        self._source = source
        self._own = reading
        self._expected = expected
        self._has_begun = False

    @property
    def pin(self) -> ReadState:
        return self.found.pin

    @property
    def owner(self) -> Owner:
        return self.found.owner

    def state(self) -> WorkspaceState:
        return self.found.state

    @property
    def found(self) -> Expected:
        """What it has, or is expected to have."""
        if self._expected is not None and not self._has_begun:
            return self._expected
        self.begin()
        return self._begun

    @property
    def is_sure(self) -> bool:
        """Whether nothing is expected of it that is not known yet."""
        return self._has_begun or self._expected is None

    @property
    def has_moved(self) -> bool:
        """Whether what was expected is not so."""
        return self._has_begun and self._expected not in (None, self._begun)

    def begin(self) -> None:
        """Find out whether what is expected is so, and raise what cannot be read."""
        if self._has_begun:
            self._require_expected()
        else:
            self._asked("pin")

    @property
    def _begun(self) -> Expected:
        return Expected(self._own.pin, self._own.owner, self._own.state())

    def _asked_together(self, *asks: tuple[Any, ...]) -> list[Any]:
        self._require_expected()
        answers = asked_together(
            self._source, [Ask(self._own, name, (*arguments,)) for name, *arguments in asks]
        )
        self._has_begun = True
        self._require_expected()
        return answers

    def _require_expected(self) -> None:
        if self.has_moved:
            raise ViewMovedError("the version that was expected is not the newest one")

    def _asked(self, name: str, *arguments: Any) -> Any:
        (answer,) = self._asked_together((name, *arguments))
        return answer

    def damaged(self, problem: str) -> StoreError:
        return self._own.damaged(problem)

    def read(self, wanted: Wanted) -> Packs:
        packs: Packs = self._asked("read", wanted)
        return packs

    def names(self, rows: Sequence[int]) -> Names:
        names: Names = self._asked("names", rows)
        return names

    def names_and_more(
        self, rows: Sequence[int], ranked: Sequence[int], ahead: Ahead
    ) -> tuple[Names, Sequence[EvidenceRow], Mapping[str, bytes]]:
        """The names of rows, and what is read ahead of those that are ranked, in one trip."""
        compared = [*dict.fromkeys((*ranked[: ahead.compared], *ahead.also))]
        names, evidence, *vectors = self._asked_together(
            ("names", rows),
            ("evidence_at", [*dict.fromkeys((*ranked[: ahead.shown], *ahead.also))]),
            *([("vectors_at", ahead.model, compared)] if ahead.model else ()),
        )
        return names, evidence, vectors[0] if vectors else {}

    def places_and_evidence_of(
        self, documents: Sequence[str], most: int | None, shown: Sequence[str], blocks: int
    ) -> tuple[Sequence[BlockPlace], Sequence[EvidenceRow]]:
        """The places of documents, and the evidence of some, in one trip."""
        least = blocks if most is None else min(most, blocks)
        places, evidence = self._asked_together(
            ("places_of", documents, most), ("evidence_of", shown, least)
        )
        return places, evidence

    def evidence_at(self, rows: Sequence[int]) -> Sequence[EvidenceRow]:
        found: Sequence[EvidenceRow] = self._asked("evidence_at", rows)
        return found

    def evidence_of(self, document_ids: Sequence[str], most: int) -> Sequence[EvidenceRow]:
        found: Sequence[EvidenceRow] = self._asked("evidence_of", document_ids, most)
        return found

    def vectors_at(self, model: str, rows: Sequence[int]) -> Mapping[str, bytes]:
        found: Mapping[str, bytes] = self._asked("vectors_at", model, rows)
        return found

    def spelt_like(self, stems: Sequence[str]) -> Mapping[str, Sequence[str]]:
        found: Mapping[str, Sequence[str]] = self._asked("spelt_like", stems)
        return found

    def evidence(self, block_ids: Sequence[str]) -> Sequence[EvidenceRow]:
        rows: Sequence[EvidenceRow] = self._asked("evidence", block_ids)
        return rows

    def info(self) -> Info:
        info: Info = self._asked("info")
        return info

    def documents(self, ids: Sequence[str]) -> Sequence[Document]:
        found: Sequence[Document] = self._asked("documents", ids)
        return found

    def list_documents(self, filters: Filters, after: str | None, limit: int) -> Sequence[Document]:
        found: Sequence[Document] = self._asked("list_documents", filters, after, limit)
        return found

    def fingerprints(self) -> Mapping[str, str]:
        found: Mapping[str, str] = self._asked("fingerprints")
        return found

    def blocks_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[Block]:
        found: Sequence[Block] = self._asked("blocks_of", document_ids, most)
        return found

    def places_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[BlockPlace]:
        found: Sequence[BlockPlace] = self._asked("places_of", document_ids, most)
        return found

    def nearby(self, block_ids: Sequence[str], reach: int) -> Sequence[Nearby]:
        found: Sequence[Nearby] = self._asked("nearby", block_ids, reach)
        return found

    def recent(self, filters: Filters, offset: int, limit: int) -> Sequence[Hit]:
        found: Sequence[Hit] = self._asked("recent", filters, offset, limit)
        return found

    def lineage(self, ids: Sequence[str], levels: int) -> Sequence[Document]:
        found: Sequence[Document] = self._asked("lineage", ids, levels)
        return found

    def children(self, parents: Sequence[str], limit: int) -> Sequence[Document]:
        found: Sequence[Document] = self._asked("children", parents, limit)
        return found

    def siblings(self, ids: Sequence[str], reach: int) -> Sequence[Sibling]:
        found: Sequence[Sibling] = self._asked("siblings", ids, reach)
        return found

    def relations(
        self, ids: Sequence[str], types: Collection[str], direction: Direction
    ) -> Sequence[Relation]:
        found: Sequence[Relation] = self._asked("relations", ids, types, direction)
        return found

    def usage(self, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        found: Mapping[str, Usage] = self._asked("usage", block_ids)
        return found

    def activity(self, query: ActivityQuery) -> Sequence[Activity]:
        found: Sequence[Activity] = self._asked("activity", query)
        return found

    def vectors(self, model: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        found: Mapping[str, bytes] = self._asked("vectors", model, block_ids)
        return found

    def known_vectors(self, model: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        found: Mapping[str, bytes] = self._asked("known_vectors", model, keys)
        return found
