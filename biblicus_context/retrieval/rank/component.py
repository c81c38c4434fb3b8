"""A component: one named score of a candidate."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, TypeAlias

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


def _equally_rare(_term: str) -> float:
    return 1.0


def _unrelated(_document: str, _others: Sequence[str]) -> int | None:
    return None


def _nothing_done(_document: str) -> Collection[str]:
    return ()


def _as_similar_as_can_be() -> float:
    return 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingQuery:
    """What a component may use besides the candidate."""

    now: datetime
    """With a time zone; passed in rather than read from the clock, so that a ranking can be repeated."""
    terms: tuple[str, ...] = ()
    best: float = 0.0
    """The highest score; `WeightedSum` raises it to that of its candidates."""
    similarity_of_best: Callable[[], float] = _as_similar_as_can_be
    """How similar the block with the highest score is to the query, from 0 to 1."""
    rarity: Callable[[str], float] = _equally_rare
    """How rare a word is in all corpora that were searched."""
    rarity_in: Mapping[str, Callable[[str], float]] = field(default_factory=dict)
    """How rare it is in each of them, by name."""
    distance: Callable[[str, Sequence[str]], int | None] = _unrelated
    """Steps in the tree from a document to the nearest of others; None if there is no way."""
    actions: Callable[[str], Collection[str]] = _nothing_done
    """What the asking user did with a document: edit, view."""


Component: TypeAlias = Callable[[Candidate, RankingQuery], float]
"""A score from 0 to 1: higher is better."""
