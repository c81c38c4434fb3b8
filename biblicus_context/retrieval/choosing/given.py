"""Blocks and candidates that a program has, ranked and selected as a plan declares it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing import ranking
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.rank import RankingQuery, Ranks
from biblicus_context.retrieval.select import SELECTIONS
from biblicus_context.text.counters import Counter, default_counter
from biblicus_context.text.cutting.cutting import longest_start


@door
def rank_candidates(
    candidates: Sequence[Candidate],
    rank: str | Mapping[str, Any],
    *,
    query: str = "",
    now: datetime | None = None,
    rarity: Callable[[str], float] | None = None,
) -> list[Candidate]:
    """Best first, with the new score and its parts; `rank` is what a retriever may declare.

    `rarity` says how rare a word is in the corpus; by default it is counted among the candidates.

    >>> some = [Candidate(id="a", text="red", tokens=1), Candidate(id="b", text="green", tokens=1)]
    >>> [(each.id, each.score) for each in rank_candidates(some, "keyword", query="a green one")]
    [('b', 0.5), ('a', 0.0)]
    """
    facts = RankingQuery(now=now or datetime.now(UTC), terms=query_terms(query))
    return ranking.rank(candidates, Ranks().build(rank), facts, {}, rarity)


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
    ranked = ranking.rank(candidates, Ranks().build(rank), facts, {})
    return [
        given[each.id].model_copy(update={"score": each.score}).carrying(each) for each in ranked
    ]


@door
def select_candidates(
    candidates: Sequence[Candidate],
    max_tokens: int,
    select: str | Mapping[str, Any] = "rank_order",
    *,
    counter: Counter | None = None,
) -> list[Candidate]:
    """Those that go into this many tokens, best first; `select` is what a retriever may declare.

    Never none of some: the best one is cut if none fits.

    >>> some = [Candidate(id="a", text="a b c", tokens=3, score=1), Candidate(id="b", text="d", tokens=1)]
    >>> [each.id for each in select_candidates(some, 2)]
    ['b']
    """
    if max_tokens < 0:
        raise InputError("a number from 0 on is expected", place="max_tokens", found=max_tokens)
    chosen = SELECTIONS.build(select)(candidates, max_tokens)
    return chosen or [*_start(candidates, max_tokens, counter or default_counter())]


def _start(
    candidates: Sequence[Candidate], max_tokens: int, counter: Counter
) -> Sequence[Candidate]:
    for best in sorted(candidates, key=lambda each: -each.score)[:1]:
        text = longest_start(best.text, max_tokens, counter)
        return [best._replace(text=text, tokens=counter.count(text))] if text else []
    return []
