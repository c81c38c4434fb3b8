"""How much each kind of document counts, also by words of the query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share


@dataclass(frozen=True, slots=True)
class KindMatch:
    """1 for candidates of the wanted kinds."""

    kinds: tuple[str, ...]

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Whether its kind is one of them."""
        del query
        return 1.0 if candidate.kind in self.kinds else 0.0


@dataclass(frozen=True, slots=True)
class KindPriority:
    """What a kind counts, always or if the query has one of some words."""

    score: Share
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KindPriorities:
    """A priority for each kind; `words` limit one to queries that ask for that kind."""

    priorities: Mapping[str, Share | KindPriority]
    preferred: tuple[str, ...] = ()
    """Kinds that count 1 for this call, as in `["{input.kind}"]`."""
    usual: Share = 0.5

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The priority of its kind, if the query asks for it."""
        if candidate.kind in self.preferred:
            return 1.0
        found = self.priorities.get(candidate.kind, self.usual)
        if not isinstance(found, KindPriority):
            return found
        wanted = {word.lower() for word in found.words}
        return found.score if not wanted or wanted & {*query.terms} else self.usual
