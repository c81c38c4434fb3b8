"""Ranks hits again, by the weights of the plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, islice

from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.corpora.search.candidates import candidates
from biblicus_context.corpora.search.surroundings import RankedSurroundings
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank import RankingQuery, WeightedSum
from biblicus_context.retrieval.rank.rarity import Rarity
from biblicus_context.stores import TermCounts


def reranked(  # noqa: PLR0913, PLR0917 - all that ranking asks of a store
    found: Iterator[RankedBlock],
    rank: WeightedSum,
    query: RankingQuery,
    fetch: Callable[[Sequence[RankedBlock]], list[Evidence]],
    count: Callable[[Sequence[str]], TermCounts],
    around: Callable[[Collection[str]], RankedSurroundings],
    similar: Callable[[Sequence[RankedBlock]], Sequence[float]],
    corpus: str,
    window: int,
) -> Iterator[RankedBlock]:
    """The same blocks by their new scores, with the components as parts.

    They are ranked in groups, so that a page needs no more than one of them.
    """
    first = next(found, None)
    if first is None:
        return
    query = replace(query, similarity_of_best=cache(lambda: similar([first])[0]))
    found = chain([first], found)
    while some := [*islice(found, window)]:
        # Later groups are scored relative to the best of the first one, not to their own.
        best = max(query.best, some[0].score)
        documents = {each.block_id: each.document_id for each in some}
        given = candidates(fetch(some), with_usage=True)
        near = around({*documents.values()})
        rarity = Rarity(given, query.terms, count)
        query = replace(
            query,
            best=best,
            rarity=rarity,
            rarity_in={corpus: rarity},
            distance=near.distance,
            actions=near.actions,
        )
        for candidate in rank(given, query):
            yield _found(candidate, documents[candidate.id])


def _found(candidate: Candidate, document: str) -> RankedBlock:
    return RankedBlock(candidate.id, document, candidate.score, lambda _: candidate.parts)
