"""Blocks that a program has, ranked as a plan declares it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from biblicus_context.base.doors import door
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.choosing.ranking import ranked_candidates
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.rank import RankingQuery, Ranks


@door
def rerank(
    blocks: Iterable[ContextPackBlock],
    rank: str | Mapping[str, Any],
    *,
    query: str = "",
    now: datetime | None = None,
) -> list[ContextPackBlock]:
    """The blocks, best first, each with its new score; `rank` is what a retriever may declare.

    Scores from 0 to 1 are taken as similarities to the query, where `rank` asks for an absolute one.

    >>> blocks = [
    ...     ContextPackBlock(evidence_item_id=name, text=name, metadata={"confidence": sure})
    ...     for name, sure in (("a", 0.2), ("b", 0.9))
    ... ]
    >>> [each.evidence_item_id for each in rerank(blocks, {"confidence": 1})]
    ['b', 'a']
    """
    blocks = {each.evidence_item_id: each for each in blocks}.values()
    candidates = [facts_of(each) for each in blocks]
    # By the ids of the facts, which have no half of a surrogate pair.
    given = {known.id: each for known, each in zip(candidates, blocks, strict=True)}
    best = min(1.0, max((each.score for each in candidates), default=0.0))
    facts = RankingQuery(
        now=now or datetime.now(UTC), terms=query_terms(query), similarity_of_best=lambda: best
    )
    ranked = ranked_candidates(candidates, Ranks().build(rank), facts, {})
    return [
        given[each.id].model_copy(update={"score": each.score}).carrying(each) for each in ranked
    ]
