"""A ranking that looks up the names of its blocks only when they are read: most never are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Final, overload

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.retrieval.smoothing import ScoredBlocks
from biblicus_context.stores import Found

_FIRST: Final = 64
"""How many are named at first, and each time as many as are named already."""


class DeferredRanking(Sequence[RankedBlock]):
    """Blocks best first, ties by id.

    The order of writing differs between stores, so ties are ordered by id. That needs names: a tie is
    always named as a whole, even if it goes beyond what is read.
    """

    def __init__(self, query: SearchQuery, found: Found, scored: ScoredBlocks) -> None:
        # Not the query: it remembers its rankings, and they would be a cycle.
        self._reading = query.reading
        self._names = found.names
        self._scored = scored
        self._order = scored.ranked()
        self._falling = scored.totals[self._order]
        self._named: list[RankedBlock] = []
        self._rows: dict[str, int] = {}
        """The row of each named block."""
        # Not a bound method: it would make a cycle of every ranking, which only a full collection of
        # garbage ends.
        self._parts_of = partial(_parts_of, self._rows, scored.parts)

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> RankedBlock: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RankedBlock]: ...
    def __getitem__(self, index: int | slice) -> RankedBlock | Sequence[RankedBlock]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        place = range(len(self))[index]
        while len(self._named) <= place:
            self._name_more()
        return self._named[place]

    def rows(self, most: int) -> Integers:
        """The rows of the best blocks; names are looked up only if a tie is cut."""
        if most < len(self) and self._falling[most - 1] == self._falling[most]:
            rows = [self._rows[each.block_id] for each in self[:most]]
        else:
            rows = self._order[:most].tolist()
        return self._scored.numbers[rows]

    def _name_more(self) -> None:
        """Name the next blocks, and all that tie with the last of them."""
        start = len(self._named)
        last = self._falling[min(max(_FIRST, 2 * start), len(self)) - 1]
        rows = self._order[start : np.searchsorted(-self._falling, -last, side="right")]
        places = self._reading.view.places(self._names, self._scored.numbers[rows])
        self._rows.update(zip([place.block_id for place in places], rows.tolist(), strict=True))
        found = [
            RankedBlock(place.block_id, place.document_id, score, self._parts_of)
            for place, score in zip(places, self._scored.totals[rows].tolist(), strict=True)
        ]
        found.sort(key=attrgetter("block_id"))
        self._named += sorted(found, key=attrgetter("score"), reverse=True)


def _parts_of(
    rows: Mapping[str, int], parts: Mapping[str, Numbers], block: str
) -> Mapping[str, float]:
    row = rows[block]
    return {name: float(column[row]) for name, column in parts.items()}
