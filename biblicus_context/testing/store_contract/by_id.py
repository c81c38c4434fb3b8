"""Results by number, translated to ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.stores import Layout, Principal, Ranked, Store, Vectors


def all_numbers(store: Store, who: Principal, at: int) -> Integers:
    """The numbers of all blocks that can be seen."""
    return np.arange(store.info(who, at=at).blocks)


def named(store: Store, who: Principal, found: Ranked, at: int) -> dict[str, float]:
    """The scores of blocks by their ids."""
    places = store.places(who, found.numbers, at=at)
    scores = found.scores.tolist()
    return {place.block_id: score for place, score in zip(places, scores, strict=True)}


def text_scores(
    store: Store, who: Principal, terms: Sequence[str], at: int | None = None
) -> dict[str, float]:
    """What every block scores by words; 0.0 if it contains none of them."""
    version = store.state(who).version if at is None else at
    numbers = all_numbers(store, who, version)
    everything = named(store, who, Ranked(numbers, np.zeros(len(numbers))), version)
    some = store.rank_text(who, terms, among=numbers, limit=len(numbers), at=version)
    return everything | named(store, who, some, version)


def vector_scores(
    store: Store, who: Principal, query: Vectors, at: int | None = None
) -> dict[str, float]:
    """What every block that is embedded scores by meaning."""
    version = store.state(who).version if at is None else at
    numbers = all_numbers(store, who, version)
    some = store.rank_vectors(who, query, among=numbers, limit=len(numbers), at=version)
    return named(store, who, some, version)


def listed(*columns: Integers | Numbers | Layout | Ranked) -> list[object]:
    """Columns as lists, which can be compared."""
    return [np.asarray(each).tolist() for each in columns]
