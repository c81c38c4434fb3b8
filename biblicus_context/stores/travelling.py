"""A reading of a source on another machine, whose questions travel with those of other searches."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from biblicus_context.base.joining import asked_together
from biblicus_context.stores.arguments import ActivityQuery
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.filters import Filters
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


class TravellingReading:
    """Asks a reading by way of its source, which answers many questions at once."""

    def __init__(self, source: RemoteSource, reading: Reading) -> None:
        self._source = source
        self._own = reading
        self._has_begun = False

    def _asked(self, name: str, *arguments: Any) -> Any:
        (answer,) = self._asked_together((name, *arguments))
        return answer

    @property
    def pin(self) -> ReadState:
        if not self._has_begun:
            self._asked("pin")
        return self._own.pin

    @property
    def owner(self) -> Owner:
        if not self._has_begun:
            self._asked("pin")
        return self._own.owner

    def damaged(self, problem: str) -> StoreError:
        return self._own.damaged(problem)

    def read(self, wanted: Wanted) -> Packs:
        packs: Packs = self._asked("read", wanted)
        return packs

    def names(self, rows: Sequence[int]) -> Names:
        names: Names = self._asked("names", rows)
        return names

    def names_and_evidence(
        self, rows: Sequence[int], shown: Sequence[int], model: str | None
    ) -> tuple[Names, Sequence[EvidenceRow], Mapping[str, bytes]]:
        """The names of rows, and the evidence of some with their embeddings, in one trip."""
        names, evidence, *vectors = self._asked_together(
            ("names", rows),
            ("evidence_at", shown),
            *([("vectors_at", model, shown)] if model is not None else ()),
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

    def _asked_together(self, *asks: tuple[Any, ...]) -> list[Any]:
        answers = asked_together(
            self._source, [Ask(self._own, name, (*arguments,)) for name, *arguments in asks]
        )
        self._has_begun = True
        return answers

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

    def state(self) -> WorkspaceState:
        state: WorkspaceState = self._asked("state")
        return state

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
