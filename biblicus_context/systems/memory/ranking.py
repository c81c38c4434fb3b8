"""Orders of memories besides the one that the plan declares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from biblicus_context.systems.memory.models import RankingFunction, SearchResult


def recency(result: SearchResult) -> float:
    """1 / (1 + days since it was created)."""
    created = result.memory.created_at
    age = (datetime.now(UTC) - created).total_seconds() / 86_400 if created else float("inf")
    return 1 / (1 + max(0.0, age))


def ranked_by(score: Callable[[SearchResult], float]) -> RankingFunction:
    """An order by a score, highest first; of equal ones the more similar one is first."""

    def rank(results: Sequence[SearchResult]) -> Sequence[SearchResult]:
        scored = [(score(each), each.score, each) for each in results]
        ordered = sorted(scored, key=lambda each: each[:2], reverse=True)
        return [replace(each, rank=rank) for rank, _, each in ordered]

    return rank


PARTS: Final[Mapping[str, Callable[[SearchResult], float]]] = {
    "similarity": lambda each: each.score,
    "recency": recency,
    "confidence": lambda each: 0.5 if each.memory.confidence is None else each.memory.confidence,
}


def weighted(weights: Mapping[str, float]) -> RankingFunction:
    """similarity * w1 + recency * w2 + confidence * w3, for storages that do not rank."""
    parts = [(weights.get(name, 0.0), part) for name, part in PARTS.items()]
    return ranked_by(lambda each: sum(weight * part(each) for weight, part in parts))
