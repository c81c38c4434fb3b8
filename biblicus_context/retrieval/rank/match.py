"""How well a candidate matches the query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import sqrt

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


def tfidf(candidate: Candidate, query: RankingQuery) -> float:
    """The cosine of query and text, both as counts of words times the rarity of each word.

    Rare words count more than frequent ones, and a long text less than a short one with the same.
    """
    asked, found = _weighed(query.terms, query), _weighed(query_terms(candidate.text), query)
    norms = sqrt(sum(each**2 for each in asked.values())) * sqrt(
        sum(each**2 for each in found.values())
    )
    shared = sum(weight * found.get(term, 0.0) for term, weight in asked.items())
    return min(1.0, shared / norms) if norms else 0.0


def _weighed(terms: Iterable[str], query: RankingQuery) -> dict[str, float]:
    return {term: count * query.rarity(term) for term, count in Counter(terms).items()}
