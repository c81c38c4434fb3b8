"""How well a candidate matches the query."""

from __future__ import annotations

from dataclasses import dataclass

from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery


def similarity(candidate: Candidate, query: RankingQuery) -> float:
    """The score of the search, as a share of the best one."""
    return max(0.0, candidate.score) / query.best if query.best > 0 else 0.0


def keyword(candidate: Candidate, query: RankingQuery) -> float:
    """The share of the words of the query that the text has."""
    wanted = {*query.terms}
    if not wanted:
        return 0.0
    return len(wanted & {*query_terms(candidate.text, ())}) / len(wanted)


@dataclass(frozen=True, slots=True)
class KindMatch:
    """1 for candidates of the wanted kinds."""

    kinds: tuple[str, ...]

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Whether its kind is one of them."""
        del query
        return 1.0 if candidate.kind in self.kinds else 0.0
