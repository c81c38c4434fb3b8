"""How well a candidate matches the query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import sqrt
from typing import Literal

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery
from biblicus_context.retrieval.rank.text_words import words_of
from biblicus_context.spec.base import StrictSpec


class Similarity(StrictSpec):
    """The score of the search, as a share of the best one."""

    scale: Literal["best", "absolute"] = Field(
        default="best",
        description="What the best block counts: 1 (best), or how similar it is to the query, as "
        "min_score compares it (absolute).",
    )

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """For a search by vectors the absolute one is the cosine of each block."""
        if query.best <= 0:
            return 0.0
        share = max(0.0, candidate.score) / query.best
        return share if self.scale == "best" else share * query.similarity_of_best()


def keyword(candidate: Candidate, query: RankingQuery) -> float:
    """The share of the words of the query that the text has."""
    wanted = {*query.terms}
    if not wanted:
        return 0.0
    return len(wanted & words_of(candidate.text).every) / len(wanted)


class TfIdf(StrictSpec):
    """The cosine of query and text, both as counts of words times the rarity of each word.

    Rare words count more than frequent ones, and a long text less than a short one with the same.
    """

    corpus: str | None = Field(
        default=None,
        description="Corpus in which words are counted. Default: all that were searched.",
    )

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """From 0, without a word in common, to 1."""
        rarity = self._rarity(query)
        asked = _weighed(Counter(query.terms), rarity)
        found = _weighed(words_of(candidate.text).counts, rarity)
        norms = sqrt(sum(each**2 for each in asked.values())) * sqrt(
            sum(each**2 for each in found.values())
        )
        shared = sum(weight * found.get(term, 0.0) for term, weight in asked.items())
        return min(1.0, shared / norms) if norms else 0.0

    def _rarity(self, query: RankingQuery) -> Callable[[str], float]:
        """In the named corpus; if nothing was found in it, in all that something was found in."""
        if self.corpus is None:
            return query.rarity
        return query.rarity_in.get(self.corpus, query.rarity)


def _weighed(counts: Mapping[str, int], rarity: Callable[[str], float]) -> dict[str, float]:
    return {term: count * rarity(term) for term, count in counts.items()}
