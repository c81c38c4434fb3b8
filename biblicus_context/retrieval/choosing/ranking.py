"""Candidates by the weights of a plan."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from biblicus_context.base.joining import joined
from biblicus_context.errors import InputError
from biblicus_context.retrieval.candidate import Candidate, best_first
from biblicus_context.retrieval.rank import RankingQuery, WeightedSum
from biblicus_context.retrieval.rank.match import Rarity, words_of
from biblicus_context.retrieval.rank.store_facts import Around, StoreFacts


class _TermCounts(NamedTuple):
    blocks: int
    found: Mapping[str, int]


def ranked_candidates(
    candidates: Sequence[Candidate],
    weights: WeightedSum,
    query: RankingQuery,
    stores: Mapping[str, StoreFacts],
    rarity: Callable[[str], float] | None = None,
) -> list[Candidate]:
    """Best first; `stores` answer for the blocks of their corpora, by name.

    `rarity` says how rare a word is; by default it is counted in the stores.
    """
    best = max((each.score for each in candidates), default=0.0)
    facts = replace(
        query,
        best=max(best, query.best),
        rarity=rarity
        or Rarity(candidates, query.terms, lambda words: _counted(words, candidates, stores)),
        rarity_in={
            name: Rarity(candidates, query.terms, store.count_terms)
            for name, store in stores.items()
        },
    )
    groups: dict[str | None, list[Candidate]] = {}
    for each in candidates:
        groups.setdefault(each.corpus, []).append(each)
    ranking: list[Callable[[], list[Candidate]]] = []
    for corpus, group in groups.items():
        store = stores.get(corpus) if corpus is not None else None
        others = [each for name, each in stores.items() if name != corpus]
        ranking.append(partial(_ranked, group, weights, facts, store, others))
    travel = any(each.travels for each in stores.values())
    parts = joined(ranking) if travel else [each() for each in ranking]
    ranked = [each for part in parts for each in part]
    return best_first(ranked) if len(groups) > 1 else ranked


def rank_in_groups(
    candidates: Iterable[Candidate],
    weights: WeightedSum,
    query: RankingQuery,
    stores: Mapping[str, StoreFacts],
    window: int,
) -> Iterator[Candidate]:
    """The same in groups, so that a page needs no more than one of them.

    Later groups are scored relative to the best of the first one, not to their own.
    """
    rest = iter(candidates)
    while some := [*islice(rest, window)]:
        query = replace(query, best=max(query.best, some[0].score))
        yield from ranked_candidates(some, weights, query, stores)


def _ranked(
    group: Sequence[Candidate],
    weights: WeightedSum,
    facts: RankingQuery,
    store: StoreFacts | None,
    others: Sequence[StoreFacts],
) -> list[Candidate]:
    if store is None:
        return weights(group, facts)
    around = store.around({each.document for each in group if each.document})
    facts = replace(facts, distance=_distances(around, others), actions=around.actions)
    if store.travels:
        _ask_ahead(group, weights, facts, store)
    return weights(_with_usage(group, store), facts)


def _ask_ahead(
    group: Sequence[Candidate], weights: WeightedSum, facts: RankingQuery, store: StoreFacts
) -> None:
    """Ask in one trip what the components need: for the first candidate they ask for all of them."""
    ahead: list[Callable[[], object]] = [partial(store.usage, [each.own_id for each in group])]
    ahead += [partial(each.component, group[0], facts) for each in weights.components]
    if store.ahead is not None:
        ahead.append(partial(store.ahead, group))
    joined(ahead)


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


def _with_usage(group: Sequence[Candidate], store: StoreFacts) -> Iterator[Candidate]:
    usage = store.usage([each.own_id for each in group])
    for each in group:
        use = usage.get(each.own_id)
        yield (
            each
            if use is None
            else each._replace(used=use.used, helpful=use.helpful, unhelpful=use.unhelpful)
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
