"""Candidates of a caller, ranked and selected as a plan declares it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from math import log
from typing import Any

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank import RankingQuery, Ranks
from biblicus_context.retrieval.rank.text_words import words_of
from biblicus_context.retrieval.select import SELECTIONS
from biblicus_context.text.counters import Counter as TokenCounter
from biblicus_context.text.counters import default_counter
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
    known = rarity or _rarity_among(candidates)
    moment = now or datetime.now(UTC)
    facts = RankingQuery(now=moment, terms=query_terms(query), rarity=known)
    return Ranks().build(rank)(candidates, facts)


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


def _rarity_among(candidates: Sequence[Candidate]) -> Callable[[str], float]:
    counts = Counter(word for each in candidates for word in words_of(each.text).counts)
    return lambda word: log((1 + len(candidates)) / (1 + counts[word])) + 1
