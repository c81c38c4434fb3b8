"""What a candidate is worth, whatever the query."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share
from biblicus_context.spec.base import StrictSpec


class Confidence(StrictSpec):
    """The confidence of the candidate, or the usual one if it has none."""

    usual: Share = Field(default=0.5, description="The score of a block without a confidence.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """How sure its author is."""
        del query
        return self.usual if candidate.confidence is None else candidate.confidence


class Importance(StrictSpec):
    """The importance of the candidate, or the usual one if it has none."""

    usual: Share = Field(default=0.5, description="The score of a block without an importance.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """How much depends on it."""
        del query
        return self.usual if candidate.importance is None else candidate.importance


class SourcePriority(StrictSpec):
    """A priority per source or path pattern; the longest matching pattern counts."""

    priorities: Mapping[str, Share] = Field(
        description="The score of each pattern of paths or sources.",
        examples=[{"guides/**": 1, "archive/**": 0.2}],
    )
    usual: Share = Field(default=0.5, description="The score of a block that no pattern matches.")

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


class Proximity(StrictSpec):
    """The share of folders in common between the candidate and the path of the caller."""

    path: str | None = Field(
        description="Path of the file that the user works in; placeholders are allowed. Null: every "
        "score is 0.",
        examples=["{input.file}"],
    )

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


class UsageFrequency(StrictSpec):
    """Grows with use and with helpful feedback, and falls with unhelpful feedback."""

    half_at: float = Field(
        default=5.0, gt=0, description="Number of uses at which the score is 0.5."
    )
    full_at: float | None = Field(
        default=None,
        gt=0,
        description="Number of uses at which a score that grows evenly is 1, in place of half_at.",
    )

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Use, times the share of helpful feedback if there is any."""
        del query
        use = candidate.used + candidate.helpful
        judged = candidate.helpful + candidate.unhelpful
        liked = (candidate.helpful + 1) / (judged + 1) if judged else 1.0
        grown = use / (use + self.half_at) if self.full_at is None else min(1, use / self.full_at)
        return grown * liked
