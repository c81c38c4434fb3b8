"""What a candidate is worth, whatever the query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share


@dataclass(frozen=True, slots=True)
class Confidence:
    """The confidence of the candidate, or the usual one if it has none."""

    usual: Share = 0.5

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """How sure its author is."""
        del query
        return self.usual if candidate.confidence is None else candidate.confidence


@dataclass(frozen=True, slots=True)
class Importance:
    """The importance of the candidate, or the usual one if it has none."""

    usual: Share = 0.5

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """How much depends on it."""
        del query
        return self.usual if candidate.importance is None else candidate.importance


@dataclass(frozen=True, slots=True)
class SourcePriority:
    """A priority per source or path pattern; the longest matching pattern counts."""

    priorities: Mapping[str, Share]
    usual: Share = 0.5

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The priority of the longest pattern that matches its source or path."""
        del query
        names = [name for name in (candidate.source, candidate.path) if name is not None]
        matching = [
            pattern
            for pattern in self.priorities
            if any(fnmatchcase(name, pattern) for name in names)
        ]
        longest = max(matching, key=lambda pattern: (len(pattern), pattern), default=None)
        return self.usual if longest is None else self.priorities[longest]


@dataclass(frozen=True, slots=True)
class Proximity:
    """The share of folders in common between the candidate and the path of the caller."""

    path: str | None
    """The path of the caller; without one every score is 0."""

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """1 in the same file, less with each folder that differs."""
        del query
        if candidate.path is None or self.path is None:
            return 0.0
        here, there = self.path.split("/"), candidate.path.split("/")
        shared = 0
        for one, other in zip(here, there, strict=False):
            if one != other:
                break
            shared += 1
        return 2 * shared / (len(here) + len(there))


@dataclass(frozen=True, slots=True)
class UsageFrequency:
    """Grows with use and with helpful feedback, and falls with unhelpful feedback."""

    half_at: Annotated[float, Field(gt=0)] = 5.0
    """The number of uses at which the score is 0.5."""
    full_at: Annotated[float, Field(gt=0)] | None = None
    """The number of uses at which a score that grows evenly is 1, in place of the curve."""

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Use, times the share of helpful feedback if there is any."""
        del query
        use = candidate.used + candidate.helpful
        judged = candidate.helpful + candidate.unhelpful
        liked = (candidate.helpful + 1) / (judged + 1) if judged else 1.0
        grown = use / (use + self.half_at) if self.full_at is None else min(1, use / self.full_at)
        return grown * liked
