"""Candidates of a caller, ranked and selected as a plan declares it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from biblicus_context.base import door
from biblicus_context.errors import InputError
from biblicus_context.retrieval import (
    SELECTIONS,
    Candidate,
    RankingQuery,
    Ranks,
    query_terms,
    ranked_candidates,
)
from biblicus_context.text import Counter as TokenCounter, default_counter, longest_start


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
    return ranked_candidates(candidates, Ranks().build(rank), facts, {}, rarity)


@door
def select_candidates(
    candidates: Sequence[Candidate],
    max_tokens: int,
    select: str | Mapping[str, Any] = "rank_order",
    *,
    counter: TokenCounter | None = None,
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
    candidates: Sequence[Candidate], max_tokens: int, counter: TokenCounter
) -> Sequence[Candidate]:
    for best in sorted(candidates, key=lambda each: -each.score)[:1]:
        text = longest_start(best.text, max_tokens, counter)
        return [best._replace(text=text, tokens=counter.count(text))] if text else []
    return []
