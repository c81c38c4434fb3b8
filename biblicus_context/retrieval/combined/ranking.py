"""The blocks of all sources, ranked together."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from biblicus_context.errors import InputError
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate, best_first
from biblicus_context.retrieval.combined.pool import Pooled
from biblicus_context.retrieval.rank import RankingQuery, WeightedSum
from biblicus_context.retrieval.rank.rarity import Rarity
from biblicus_context.retrieval.rank.store_facts import Around, StoreFacts
from biblicus_context.retrieval.rank.text_words import words_of


class _TermCounts(NamedTuple):
    blocks: int
    found: Mapping[str, int]


def by_score(pool: Iterable[Pooled]) -> list[Pooled]:
    """Highest fused score first; of equal ones the newest, then by id."""
    return _sorted({each.id: each for each in pool}, (each.facts for each in pool))


def by_weights(
    pool: Sequence[Pooled],
    rank: WeightedSum,
    query: str,
    now: datetime,
    stores: Mapping[str, StoreFacts],
    *,
    are_similarities: bool = False,
) -> list[Pooled]:
    """By the weights of a plan; `stores` answer for the blocks of their corpora, by name.

    Scores that are similarities, from 0 to 1, say how similar the best block is.
    """
    terms = query_terms(query)
    given = [each.facts for each in pool]
    best = max((each.score for each in given), default=0.0)
    facts = RankingQuery(
        now=now,
        terms=terms,
        best=best,
        similarity_of_best=lambda: min(1.0, best) if are_similarities else 1.0,
        rarity=Rarity(given, terms, lambda words: _counted(words, given, stores)),
        rarity_in={name: Rarity(given, terms, store.count_terms) for name, store in stores.items()},
    )
    groups: dict[str | None, list[Pooled]] = {}
    for each in pool:
        groups.setdefault(each.corpus, []).append(each)
    ranked: dict[str, Candidate] = {}
    for corpus, group in groups.items():
        store = stores.get(corpus) if corpus is not None else None
        others = [each for name, each in stores.items() if name != corpus]
        ranked |= {each.id: each for each in _ranked(group, rank, facts, store, others)}
    return _sorted(
        {each.id: each._replace(facts=ranked[each.id]) for each in pool}, ranked.values()
    )


def _ranked(
    group: Sequence[Pooled],
    rank: WeightedSum,
    facts: RankingQuery,
    store: StoreFacts | None,
    others: Sequence[StoreFacts],
) -> list[Candidate]:
    if store is None:
        return rank((each.facts for each in group), facts)
    around = store.around({each.facts.document for each in group if each.facts.document})
    facts = replace(facts, distance=_distances(around, others), actions=around.actions)
    return rank(_with_usage(group, store), facts)


def _distances(
    around: Around, others: Sequence[StoreFacts]
) -> Callable[[str, Sequence[str]], int | None]:
    """Steps in the tree of one corpus; the named documents may all be in another one."""

    def distance(document: str, starts: Sequence[str]) -> int | None:
        try:
            return around.distance(document, starts)
        except InputError:
            if not any(_knows(other, starts) for other in others):
                raise
            return None

    return distance


def _knows(store: StoreFacts, documents: Sequence[str]) -> bool:
    try:
        store.around(()).distance(documents[0], documents)
    except InputError:
        return False
    return True


def _with_usage(group: Sequence[Pooled], store: StoreFacts) -> Iterator[Candidate]:
    usage = store.usage([each.block.evidence_item_id for each in group])
    for each in group:
        use = usage.get(each.block.evidence_item_id)
        yield (
            each.facts
            if use is None
            else each.facts._replace(used=use.used, helpful=use.helpful, unhelpful=use.unhelpful)
        )


def _counted(
    words: Sequence[str], given: Sequence[Candidate], stores: Mapping[str, StoreFacts]
) -> _TermCounts:
    """In all corpora together; without one, among the blocks themselves."""
    counts = [store.count_terms(words) for store in stores.values()]
    if not counts:
        found = Counts(word for each in given for word in words_of(each.text).counts)
        return _TermCounts(len(given), found)
    together: Counts[str] = Counts()
    for count in counts:
        together.update(count.found)
    return _TermCounts(sum(count.blocks for count in counts), together)


def _sorted(pool: Mapping[str, Pooled], facts: Iterable[Candidate]) -> list[Pooled]:
    return [pool[each.id] for each in best_first(facts)]
