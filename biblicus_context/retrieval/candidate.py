"""A block that may go into a pack, with everything that ranking and selection use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from math import inf
from typing import NamedTuple, TypeAlias

from biblicus_context.retrieval.origin import NOWHERE, Origin
from biblicus_context.retrieval.packs.pack import ContextPackBlock

EvidenceKey: TypeAlias = tuple[str | None, str, str]
"""Corpus, text and id: equal only for the same evidence."""


class Candidate(NamedTuple):
    """One block that may go into a pack; all times have a time zone.

    >>> Candidate(id="handbook.md#2", text="Ask twice.", tokens=3, score=0.5).score
    0.5
    """

    id: str
    text: str
    tokens: int
    score: float = 0.0
    """How well it matches; higher is better."""
    parts: Mapping[str, float] = {}
    """The named parts of the score, for the receipt."""
    document: str | None = None
    """The id of the document it is part of."""
    source: str | None = None
    """The path or URI of the document, else its id."""
    found_by: tuple[str, ...] = ()
    """The sources of a combined retriever that found it."""
    where: str | None = None
    """Its location, such as `handbook.md:10-40`."""
    sequence: str | None = None
    """The document or session in which blocks follow each other by `position`."""
    position: int = 0
    is_turn: bool = False
    """Whether it is one turn of a conversation."""
    kind: str = ""
    title: str = ""
    heading: tuple[str, ...] = ()
    """The headings above it, outermost first."""
    path: str | None = None
    lines: tuple[int, int] | None = None
    """First and last line in the source, from 1."""
    session: str | None = None
    """The part of a conversation that it is a turn of."""
    conversation: str | None = None
    origin: Origin = NOWHERE
    """Where it comes from: session and messages, file, commit."""
    replaces: tuple[str, ...] = ()
    """The documents that its document superseded, by id."""
    contains: tuple[str, ...] = ()
    """Other documents that its text has lines of, by id, as the outline of a page has."""
    parent: str | None = None
    """The document that its document is part of, by id."""
    among_siblings: int | None = None
    """The position of its document among those with the same parent."""
    created: datetime | None = None
    updated: datetime | None = None
    accessed: datetime | None = None
    """When the document was last used."""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = {}
    """The metadata of document and block."""
    confidence: float | None = None
    importance: float | None = None
    left_out: int = 0
    """Tokens that its text had more before it was shortened."""
    used: int = 0
    """How often it was placed in a context before."""
    helpful: int = 0
    unhelpful: int = 0
    corpus: str | None = None
    """The corpus it was found in, where several are searched."""
    places: Mapping[str, int] = {}
    """Its place in the order of each source of a combined retriever that found it."""
    offered: ContextPackBlock | None = None
    """The block as the source of a combined retriever offered it."""

    @property
    def own_id(self) -> str:
        """The id that its source has for it; in a combined retriever two sources may use one."""
        return self.offered.evidence_item_id if self.offered else self.id

    @property
    def changed(self) -> datetime | None:
        """When its document was updated, else created."""
        return self.updated or self.created

    @property
    def further_origin(self) -> Origin | None:
        """Its origin, if that says more than its source."""
        return None if self.origin in {NOWHERE, Origin(file=self.source)} else self.origin


def key_of(candidate: Candidate) -> EvidenceKey:
    """Blocks of one corpus with one id are the same evidence; without a corpus, if their texts are equal."""
    offered = candidate.offered
    text = offered.text if offered and candidate.corpus is None else ""
    return candidate.corpus, text, candidate.own_id


def best_first(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Highest score first; of equal ones the newest, then by document, in its order, then by id."""
    return sorted(candidates, key=_place)


def _place(candidate: Candidate) -> tuple[float, float, str, int, str]:
    sequence, position = candidate.sequence or "", candidate.position
    return -candidate.score, _age(candidate), sequence, position, candidate.id


def _age(candidate: Candidate) -> float:
    return inf if candidate.changed is None else -candidate.changed.timestamp()
