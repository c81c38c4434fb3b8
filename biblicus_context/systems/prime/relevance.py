"""How relevant items are, and which of them fit, by the rules of the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

from biblicus_context import Candidate, rank_candidates, select_candidates
from biblicus_context.systems.prime.models import ContextItem

_SCORES: Final[Mapping[str, Mapping[str, Any]]] = {
    "text_similarity": {"type": "tfidf"},
    "keyword_match": {"type": "keyword"},
    "recency": {"curve": "exponential", "per": "hour", "decay": 0.01, "usual": 0.5},
    "source_priority": {"type": "kinds", "usual": 0.3},
    "usage_frequency": {"type": "usage", "full_at": 10},
}
_DIVERSE: Final = {
    "type": "value_per_token", "kind_share": 0.7, "kinds_after": 5, "stop_at": 0.9, "stop_after": 10
}  # fmt: skip
_EXACT: Final = {"type": "knapsack", "cells": 10_000_000}
_PRIORITIES: Final = {"reference": 1.0, "file": 0.7, "chunk": 0.6, "message": 0.5}
_WEIGHTS: Final = dict(zip(_SCORES, (0.35, 0.25, 0.15, 0.15, 0.10), strict=True))


@dataclass(frozen=True)
class RelevanceScorer:
    """The weights of the five scores; all of them must be above 0."""

    weights: Mapping[str, float] = field(default_factory=lambda: {**_WEIGHTS})

    @property
    def settings(self) -> dict[str, Any]:
        """What it changes in the plan."""
        return {"rank": {name: {"weight": weight} for name, weight in self.weights.items()}}

    def score_items(
        self, items: Sequence[ContextItem], query: str, now: datetime | None = None
    ) -> list[ContextItem]:
        """The items with their relevance, best first; words are counted among the items."""
        rank = {name: {**_SCORES[name], "weight": each} for name, each in self.weights.items()}
        rank["source_priority"]["priorities"] = _PRIORITIES
        ranked = rank_candidates([*map(_candidate, items)], rank, query=query, now=now)
        return _items(items, ranked)


class OptimizationResult(NamedTuple):
    """What is selected, what is not, and the tokens of what is selected."""

    selected: list[ContextItem]
    excluded: list[ContextItem]
    total_tokens: int


@dataclass(frozen=True)
class TokenOptimizer:
    """How items are selected: relevance per token with diverse types, or the highest sum."""

    select: str | Mapping[str, Any] = field(default_factory=lambda: _DIVERSE)
    exact: str | Mapping[str, Any] = field(default_factory=lambda: _EXACT)

    @property
    def settings(self) -> dict[str, Any]:
        """What it changes in the plan."""
        return {"select": self.select}

    def optimize(self, items: Sequence[ContextItem], max_tokens: int) -> OptimizationResult:
        """Greedy; the best item is cut to fit if none does."""
        return self._optimized(items, max_tokens, self.select)

    def optimize_dp(self, items: Sequence[ContextItem], max_tokens: int) -> OptimizationResult:
        """The highest sum of relevance."""
        return self._optimized(items, max_tokens, self.exact)

    def _optimized(
        self, items: Sequence[ContextItem], max_tokens: int, select: str | Mapping[str, Any]
    ) -> OptimizationResult:
        chosen = select_candidates([*map(_candidate, items)], max_tokens, select)
        names = {each.id for each in chosen}
        excluded = [each for each in items if each.id not in names]
        return OptimizationResult(
            _items(items, chosen), excluded, sum(each.tokens for each in chosen)
        )


def _candidate(item: ContextItem) -> Candidate:
    return Candidate(
        id=item.id,
        text=item.content,
        tokens=item.tokens,
        score=item.relevance,
        kind=item.type,
        created=item.metadata.created_at,
        used=item.usage,
    )


def _items(items: Sequence[ContextItem], chosen: Sequence[Candidate]) -> list[ContextItem]:
    by_id = {each.id: each for each in items}
    return [
        by_id[each.id].model_copy(
            update={"content": each.text, "tokens": each.tokens, "relevance": each.score}
        )
        for each in chosen
    ]
