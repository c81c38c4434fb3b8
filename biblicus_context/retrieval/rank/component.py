"""One named score of a candidate, and what it may look at beside the candidate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from biblicus_context.retrieval.candidate import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingQuery:
    """The question of one ranking."""

    now: datetime
    """With a time zone; given by the caller, so that a ranking can be repeated."""
    terms: tuple[str, ...] = ()
    best: float = 0.0
    """The highest score that there is; `WeightedSum` fills in that of its candidates."""


Component: TypeAlias = Callable[[Candidate, RankingQuery], float]
"""A score from 0 to 1: higher is better."""
