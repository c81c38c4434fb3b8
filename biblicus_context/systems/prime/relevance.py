"""How relevant items are, and which of them fit, by the rules of the plan or of a caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from inspect import iscoroutinefunction
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from biblicus_context import InputError
from biblicus_context.base import door, require
from biblicus_context.retrieval import Candidate
from biblicus_context.systems.prime.judging import rank_candidates, select_candidates
from biblicus_context.systems.prime.models import ContextItem

_PRIORITIES: Final = {"reference": 1.0, "file": 0.7, "chunk": 0.6, "message": 0.5}
_SCORES: Final[Mapping[str, Mapping[str, Any]]] = {
    "text_similarity": {"weight": 0.35, "type": "tfidf"},
    "keyword_match": {"weight": 0.25, "type": "keyword"},
    "recency": {"weight": 0.15, "curve": "exponential", "per": "hour", "decay": 0.01, "usual": 0.5},
    "source_priority": {"weight": 0.15, "type": "kinds", "priorities": _PRIORITIES, "usual": 0.3},
    "usage_frequency": {"weight": 0.10, "type": "usage", "full_at": 10},
}
_DIVERSE: Final = {"type": "value_per_token", "kind_share": 0.7, "stop_at": 0.9}


@runtime_checkable
class Scorer(Protocol):
    """What a scorer of yours provides."""

    def score_items(self, items: Sequence[ContextItem], query: str) -> Sequence[ContextItem]: ...


@door
@dataclass(frozen=True)
class RelevanceScorer:
    """Five scores; `weights` are those of the design, as far as they are not given."""

    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """What it changes in the plan."""
        return {"rank": {name: {"weight": weight} for name, weight in self.weights.items()}}

    def score_items(
        self, items: Sequence[ContextItem], query: str, now: datetime | None = None
    ) -> list[ContextItem]:
        """The items with their relevance, best first; words are counted among the items."""
        own = self.settings["rank"]
        rank = {name: {**_SCORES.get(name, {}), **own.get(name, {})} for name in {**_SCORES, **own}}
        return _items(items, rank_candidates(_candidates(items), rank, query=query, now=now))


class OptimizationResult(NamedTuple):
    """What is selected, what is not, and the tokens of what is selected."""

    selected: Sequence[ContextItem]
    excluded: Sequence[ContextItem]
    total_tokens: int


@runtime_checkable
class Optimizer(Protocol):
    """What an optimizer of yours provides."""

    def optimize(self, items: Sequence[ContextItem], max_tokens: int) -> OptimizationResult: ...


@door
@dataclass(frozen=True)
class TokenOptimizer:
    """How items are selected: relevance per token with diverse types, or the highest sum."""

    select: str | Mapping[str, Any] = field(default_factory=lambda: _DIVERSE)

    def optimize(self, items: Sequence[ContextItem], max_tokens: int) -> OptimizationResult:
        """Greedy; the best item is cut to fit if none does."""
        chosen = select_candidates(_candidates(items), max_tokens, self.select)
        names = {each.id for each in chosen}
        excluded = [each for each in items if each.id not in names]
        return OptimizationResult(_items(items, chosen), excluded, sum(c.tokens for c in chosen))

    def optimize_dp(self, items: Sequence[ContextItem], max_tokens: int) -> OptimizationResult:
        """The highest sum of relevance."""
        return TokenOptimizer({"type": "knapsack", "cells": 10_000_000}).optimize(items, max_tokens)


class OwnChoice:
    """A scorer and an optimizer of a caller, in place of the ranking and the selection of the plan."""

    settings: Final[Mapping[str, Any]] = {"select": {"type": "own"}}

    def __init__(self, scorer: Scorer, optimizer: Optimizer) -> None:
        if iscoroutinefunction(scorer.score_items) or iscoroutinefunction(optimizer.optimize):
            fix = "Make it a plain function: it computes, and waits for nothing."
            raise InputError("score_items and optimize may not be async", fix=fix)
        self._scorer, self._optimizer = scorer, optimizer

    def parts(self, query: str, relevance: dict[str, float]) -> dict[str, Any]:
        """The selection for one message; it notes the relevance of each item by id."""

        def own(found: Sequence[Candidate], max_tokens: int) -> list[Any]:
            judged = self._scorer.score_items([*map(ContextItem.of, found)], query)
            scored = sorted(judged, key=lambda each: -each.relevance)
            relevance.update({each.id: each.relevance for each in scored})
            by_id: dict[str, Any] = {each.id: each for each in found}  # others are refused
            selected = self._optimizer.optimize(scored, max_tokens).selected
            return [by_id.get(each.id, each) for each in selected]

        return {"select": {"own": own}}


def chosen(
    scorer: Scorer | None, optimizer: Optimizer | None
) -> tuple[Mapping[str, Any], OwnChoice | None]:
    """What the two change in the settings of the plan, and the choice of a caller's own, if one is."""
    require(Scorer, "It has `score_items`.", scorer=scorer or RelevanceScorer())
    require(Optimizer, "It has `optimize`.", optimizer=optimizer or TokenOptimizer())
    if {type(scorer), type(optimizer)} <= {type(None), RelevanceScorer, TokenOptimizer}:
        rank = scorer.settings if isinstance(scorer, RelevanceScorer) else {}
        select = {"select": optimizer.select} if isinstance(optimizer, TokenOptimizer) else {}
        return {**rank, **select}, None
    own = OwnChoice(scorer or RelevanceScorer(), optimizer or TokenOptimizer())
    return own.settings, own


def _candidates(items: Sequence[ContextItem]) -> list[Candidate]:
    return [
        Candidate(
            id=item.id,
            text=item.content,
            tokens=item.tokens,
            score=item.relevance,
            kind=item.type,
            created=item.metadata.created_at,
            used=item.usage,
        )
        for item in items
    ]


def _items(items: Sequence[ContextItem], chosen: Sequence[Candidate]) -> list[ContextItem]:
    by_id = {each.id: each for each in items}
    new = [{"content": c.text, "tokens": c.tokens, "relevance": c.score} for c in chosen]
    return [by_id[c.id].model_copy(update=own) for c, own in zip(chosen, new, strict=True)]
