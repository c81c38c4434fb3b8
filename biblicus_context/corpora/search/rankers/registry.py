"""The retrievers by `retriever_id`: how each ranks, and its settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from biblicus_context.base.deferred import Deferred
from biblicus_context.base.registry import Registry
from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.errors import InputError
from biblicus_context.spec.retriever_settings import (
    ActivitySpec,
    ExplicitSpec,
    FuzzySpec,
    HybridSpec,
    KeywordSpec,
    OutlineSpec,
    RecentSpec,
    RelatedSpec,
    SearchSpec,
    TreeSpec,
    TrigramSpec,
    VectorSpec,
)

Ranker: TypeAlias = Callable[[SearchQuery, Any, int], Sequence[RankedBlock]]
"""Ranks for a query, by typed settings, at least the given number of blocks if there are that many.

A call for more blocks returns the same blocks first, in the same order: a page continues the last one.
"""

_NONE: Final = RankedBlock("", "", 0.0, lambda _: {})
"""In place of the first block of an empty ranking."""


@dataclass(frozen=True, slots=True)
class RetrieverKind:
    """What a `retriever_id` names: a ranker, and the model of its settings."""

    rank: Ranker
    settings: type[SearchSpec] = SearchSpec

    def __post_init__(self) -> None:
        if not (isinstance(self.settings, type) and issubclass(self.settings, SearchSpec)):
            fix = "Derive it from SearchSpec, which has the settings of every retriever."
            raise InputError("not the settings of a retriever", found=self.settings, fix=fix)

    def __call__(self, query: SearchQuery, settings: Any, most: int) -> Sequence[RankedBlock]:
        """The ranking, checked: the ranker may be anybody's."""
        ranked = self.rank(query, settings, most)
        if not isinstance(ranked, Sequence) or not isinstance(
            next(iter(ranked), _NONE), RankedBlock
        ):
            raise InputError(
                "a retriever returns a sequence of RankedBlock",
                place=f"retriever_id '{settings.retriever_id}'",
                found=ranked[0] if isinstance(ranked, Sequence) else type(ranked).__name__,
            )
        return ranked


_RANKERS: Final = "biblicus_context.corpora.search.rankers"
RETRIEVERS: Final = Registry[Ranker](
    noun="retriever_id",
    group="biblicus_context.retrievers",
    default="hybrid",
    entries={
        "hybrid": RetrieverKind(Deferred(f"{_RANKERS}:hybrid"), HybridSpec),
        "keyword": RetrieverKind(Deferred(f"{_RANKERS}.single:keyword"), KeywordSpec),
        "vector": RetrieverKind(Deferred(f"{_RANKERS}.single:vector"), VectorSpec),
        "fuzzy": RetrieverKind(Deferred(f"{_RANKERS}.single:fuzzy"), FuzzySpec),
        "trigram": RetrieverKind(Deferred(f"{_RANKERS}.trigram:trigram"), TrigramSpec),
        "recent": RetrieverKind(Deferred(f"{_RANKERS}.single:recent"), RecentSpec),
        "explicit": RetrieverKind(Deferred(f"{_RANKERS}.named:explicit"), ExplicitSpec),
        "related": RetrieverKind(Deferred(f"{_RANKERS}.related:related"), RelatedSpec),
        "tree": RetrieverKind(Deferred(f"{_RANKERS}.tree:tree"), TreeSpec),
        "outline": RetrieverKind(Deferred(f"{_RANKERS}.named:outline"), OutlineSpec),
        "activity": RetrieverKind(Deferred(f"{_RANKERS}.activity:activity"), ActivitySpec),
    },
)
