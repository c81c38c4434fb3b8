"""The parts that retrievers are made of, by the words that settings use for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, TypeAlias, cast

from biblicus_context.base.registry import Registry
from biblicus_context.corpora.search.evidence import Found
from biblicus_context.corpora.search.query import Question
from biblicus_context.corpora.search.rankers.explicit import explicit
from biblicus_context.corpora.search.rankers.lazily import hybrid
from biblicus_context.corpora.search.rankers.related import related
from biblicus_context.corpora.search.rankers.single import fuzzy, keyword, recent, vector
from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion import FUSIONS, Fusion
from biblicus_context.retrieval.rank import COMPONENTS, Component
from biblicus_context.retrieval.select import SELECTIONS, Select
from biblicus_context.spec.retriever_settings import (
    ExplicitSpec,
    FuzzySpec,
    HybridSpec,
    KeywordSpec,
    RecentSpec,
    RelatedSpec,
    SearchSpec,
    VectorSpec,
)

Ranker: TypeAlias = Callable[[Question, Any, int], Sequence[Found]]
"""Ranks for a question, by typed settings, at least so many blocks if there are so many.

Whoever asks for more gets the same blocks first, in the same order.
"""


_NONE: Final = Found("", "", 0.0, lambda _: {})
"""In place of the first of nothing."""


@dataclass(frozen=True, slots=True)
class RetrieverKind:
    """What stands under a `retriever_id`: how it ranks, and which settings it has."""

    rank: Ranker
    settings: type[SearchSpec] = SearchSpec

    def __post_init__(self) -> None:
        if not (isinstance(self.settings, type) and issubclass(self.settings, SearchSpec)):
            fix = "Derive it from SearchSpec, which has the settings of every retriever."
            raise InputError("no settings of a retriever", found=self.settings, fix=fix)

    def __call__(self, question: Question, settings: Any, most: int) -> Sequence[Found]:
        """The ranking."""
        found = self.rank(question, settings, most)
        if not isinstance(found, Sequence) or not isinstance(next(iter(found), _NONE), Found):
            raise InputError(
                "a retriever answers with a sequence of Found",
                place=f"retriever_id '{settings.retriever_id}'",
                found=found[0] if isinstance(found, Sequence) else type(found).__name__,
            )
        return found


RETRIEVERS: Final = Registry[Ranker](
    noun="retriever_id",
    group="biblicus_context.retrievers",
    default="hybrid",
    entries={
        "hybrid": RetrieverKind(hybrid, HybridSpec),
        "keyword": RetrieverKind(keyword, KeywordSpec),
        "vector": RetrieverKind(vector, VectorSpec),
        "fuzzy": RetrieverKind(fuzzy, FuzzySpec),
        "recent": RetrieverKind(recent, RecentSpec),
        "explicit": RetrieverKind(explicit, ExplicitSpec),
        "related": RetrieverKind(related, RelatedSpec),
    },
)


@dataclass(frozen=True, slots=True)
class Parts:
    """Every family of parts, each with the built-in ones, those of entry points, and added ones."""

    retrievers: Registry[Ranker] = RETRIEVERS
    rank: Registry[Component] = COMPONENTS
    fusion: Registry[Fusion] = FUSIONS
    select: Registry[Select] = SELECTIONS

    @classmethod
    def of(cls, added: Mapping[str, Mapping[str, Any]] | None) -> Self:
        """The built-in parts, and for each family those a caller adds by name.

        >>> "first" in Parts.of({"select": {"first": lambda found, room: found[:1]}}).select.names
        True
        """
        given = added or {}
        for family in given:
            if family not in cls.__slots__:
                raise InputError(
                    "unknown family of retrieval parts", found=family, valid=cls.__slots__
                )
        return cls(
            retrievers=RETRIEVERS.adding(given.get("retrievers", {})),
            rank=COMPONENTS.adding(given.get("rank", {})),
            fusion=FUSIONS.adding(given.get("fusion", {})),
            select=SELECTIONS.adding(given.get("select", {})),
        )

    def kind(self, retriever_id: object) -> RetrieverKind | None:
        """What stands under a `retriever_id`; a plain callable has the settings all of them have."""
        entry = self.retrievers.find(retriever_id)
        if entry is None or isinstance(entry, RetrieverKind):
            return entry
        return RetrieverKind(cast("Ranker", entry))
