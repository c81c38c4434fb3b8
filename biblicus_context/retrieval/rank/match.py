"""How well a candidate matches the query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from typing import Literal, NamedTuple

from pydantic import Field

from biblicus_context.base.lazy import lazy
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.store_facts import Counted
from biblicus_context.retrieval.rank.weighted_sum import RankingQuery
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


class TextWords(NamedTuple):
    """The words of a text."""

    counts: Mapping[str, int]
    """How often it has each word that is worth searching for."""
    every: frozenset[str]
    """All words, function words too."""


@lru_cache(maxsize=1024)
def words_of(text: str) -> TextWords:
    """The words of a text; splitting it again for each component took half of a ranking.

    >>> words_of("The lamp and the lamp").counts
    Counter({'lamp': 2})
    """
    return TextWords(Counter(query_terms(text)), frozenset(query_terms(text, ())))


class Rarity:
    """ln((1 + blocks) / (1 + blocks with the word)) + 1, among the blocks that the principal may read.

    The words of all candidates are counted at once, and only if a component asks for one.
    """

    def __init__(
        self,
        given: Sequence[Candidate],
        terms: Sequence[str],
        count: Callable[[Sequence[str]], Counted],
    ) -> None:
        self._given = given
        self._terms = terms
        self._count = count

    def __call__(self, term: str) -> float:
        """The rarity of a word of the query or of a candidate."""
        known = self._known.get(term)
        return self._of(0) if known is None else known

    @lazy
    def _known(self) -> Mapping[str, float]:
        return {term: self._of(found) for term, found in self._counts.found.items()}

    def _of(self, found: int) -> float:
        return log((1 + self._counts.blocks) / (1 + found)) + 1

    @lazy
    def _counts(self) -> Counted:
        words = dict.fromkeys(self._terms)
        for each in self._given:
            words |= dict.fromkeys(words_of(each.text).counts)
        return self._count([*words])
