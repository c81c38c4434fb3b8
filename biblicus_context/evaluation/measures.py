"""The measures of an evaluation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from statistics import fmean
from typing import Final

BUDGETS: Final = (256, 512, 1024, 2048, 4096)


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The measures of one query."""

    recall: Mapping[int, float]
    """The share of its gold evidence in the context, by budget."""
    ndcg: float
    seconds: float
    """The time of ranking alone, with nothing remembered of the query."""
    filled: Mapping[int, float] = field(default_factory=dict)
    """The part of each budget that the context uses."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The measures of one retriever on one collection; shares are from 0 to 1."""

    collection: str
    retriever: str
    queries: int
    indexed_as: str
    """How the collection was indexed: as blocks, as files, or as records."""
    recall: Mapping[int, float]
    all_evidence: Mapping[int, float]
    """The share of queries with all their evidence in the context, by budget."""
    filled: Mapping[int, float]
    """The mean part of each budget that the contexts use."""
    ndcg_at_10: float
    p50_ms: float
    p95_ms: float
    silent: float | None = None
    """The share of foreign queries, of which no evidence is here, for which nothing is placed."""
    pooled_with: tuple[str, ...] = ()
    """The other collections in the same corpus."""
    missed: tuple[str, ...] = ()
    """Of a corpus as it is: the questions of which a file is missing in the largest context."""

    @property
    def mean_recall(self) -> float:
        """Over all budgets."""
        return fmean(self.recall.values())

    @property
    def mean_filled(self) -> float:
        """Over all budgets."""
        return fmean(self.filled.values())

    @property
    def mean_all_evidence(self) -> float:
        """Over all budgets."""
        return fmean(self.all_evidence.values())


def figures(
    collection: str, retriever: str, results: Sequence[QueryResult], *, indexed_as: str = "blocks"
) -> Figures:
    """The figures of at least one query."""
    budgets = results[0].recall.keys()
    seconds = sorted(each.seconds for each in results)
    return Figures(
        collection=collection,
        retriever=retriever,
        queries=len(results),
        indexed_as=indexed_as,
        recall={budget: fmean(each.recall[budget] for each in results) for budget in budgets},
        all_evidence={
            budget: fmean(each.recall[budget] == 1 for each in results) for budget in budgets
        },
        filled={
            budget: fmean(each.filled.get(budget, 0) for each in results) for budget in budgets
        },
        ndcg_at_10=fmean(each.ndcg for each in results),
        p50_ms=1000 * percentile(seconds, 50),
        p95_ms=1000 * percentile(seconds, 95),
    )


def ndcg(ranked: Sequence[Collection[str]], gold: Collection[str], most: int = 10) -> float:
    """How high the gold is ranked among the first results; every gold id counts the same.

    The blocks of a passage share one rank; the n-th gold id never counts more than at rank n, so
    that merging blocks into passages cannot raise the measure above 1.

    >>> ndcg([["b"], ["a"]], {"a"}), ndcg([["a"], ["b"]], {"a"}), ndcg([["a", "b"]], {"a", "b"})
    (0.6309297535714575, 1.0, 1.0)
    """
    wanted = {*gold}
    places = [place for place, ids in enumerate(ranked[:most]) for _ in wanted.intersection(ids)]
    gained = sum(1 / log2(max(place, nth) + 2) for nth, place in enumerate(places[:most]))
    best = sum(1 / log2(place + 2) for place in range(min(most, len(wanted))))
    return gained / best


def percentile(ordered: Sequence[float], share: int) -> float:
    """The smallest value that at least this share (in percent) does not exceed.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 50)
    2.0
    """
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]
