"""The part of a store that speaks of blocks by number, in columns (see `Ranked`).

A ranking that weighs thousands of blocks would spend its time on making objects of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from biblicus_context.base.arrays import Integers, Numbers, Rows
from biblicus_context.stores.answers import Bm25, Layout, Place, Ranked
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.searching import BM25


class Ranking(Protocol):
    """What rankings are made of; `places` names the few blocks that are shown.

    Numbers are those that the same principal was given for the same version; another one raises
    InputError.
    """

    def rank_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        weights: Bm25 = BM25,
        at: int,
    ) -> Ranked:
        """What `search_text` finds, as columns."""
        ...

    def rank_vectors(
        self,
        principal: Principal,
        query: Vectors,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        at: int,
    ) -> Ranked:
        """What `search_vectors` finds, as columns."""
        ...

    def score_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        numbers: Integers,
        *,
        weights: Bm25 = BM25,
        at: int,
    ) -> Numbers:
        """What `rank_text` gives these blocks; 0.0 where no term stands."""
        ...

    def score_vectors(
        self, principal: Principal, query: Vectors, numbers: Integers, *, at: int
    ) -> Numbers:
        """What `rank_vectors` gives these blocks; not a number where there is no embedding."""
        ...

    def unit_vectors(
        self, principal: Principal, model: str, numbers: Integers, *, at: int
    ) -> tuple[Integers, Rows]:
        """Those of these blocks that have an embedding by this model, and it, brought to length 1."""
        ...

    def layout(self, principal: Principal, numbers: Integers, *, reach: int = 0, at: int) -> Layout:
        """Where these blocks stand, and those within `reach` in the same document and session."""
        ...

    def places(self, principal: Principal, numbers: Integers, *, at: int) -> tuple[Place, ...]:
        """What these blocks are called and where they stand, in the order asked for."""
        ...
