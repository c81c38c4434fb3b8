"""The default ranking: words and vectors, then support from neighbours or similar blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import chain, zip_longest
from operator import attrgetter, itemgetter
from typing import Final, overload

import numpy as np

from biblicus_context.base.arrays import Flags, Integers, Numbers
from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.foreign_query import foreign_language
from biblicus_context.corpora.search.query import WEIGHTS, SearchQuery
from biblicus_context.corpora.search.waiting import searched
from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion import Scores, Search
from biblicus_context.retrieval.smoothing import (
    ALONE,
    BLOCKS,
    TURNS,
    Kernel,
    ScoredBlocks,
    add_resemblance,
    distinct,
    support_from_neighbours,
)
from biblicus_context.spec.retriever_settings import HybridSpec
from biblicus_context.stores import Ahead, Found, Hit, SearchRequest, named

_JUDGED: Final = ALONE.among
"""How many of the best blocks have their neighbours looked up."""


def hybrid_ranking(query: SearchQuery, spec: HybridSpec, most: int) -> Sequence[RankedBlock]:
    """Every candidate, best first, then what else the searches find; `most` changes no order."""
    ranking = next((each for by, each in query.ranked if by == spec), None)
    if ranking is None:
        ranking = _candidates(query, spec)
        query.ranked.append((spec, ranking))
    if most <= len(ranking) or len(ranking) < spec.candidates or spec.limits_candidates:
        return ranking
    return [*ranking, *_others(query, {each.block_id for each in ranking}, most, ranking[-1].score)]


def _candidates(query: SearchQuery, spec: HybridSpec) -> Sequence[RankedBlock]:
    """What both searches propose, by both and by what is around it."""
    found = _found(query, spec.candidates, spec.turn_candidates)
    fused = query.fusion([*_searches(query, spec, found)])
    if not isinstance(fused, Scores):
        raise InputError("a fusion returns Scores", place="fusion", found=type(fused).__name__)
    scored = ScoredBlocks.of(fused)
    if not len(scored.numbers):
        return ()
    best = DeferredRanking(query, found, scored).rows(_JUDGED)
    found, scored = _with_support(query, found, scored, best)
    scored = scored.for_length(found.tokens[scored.numbers])
    return DeferredRanking(query, found, scored, query.ahead)


def _found(query: SearchQuery, most: int, most_of_turns: int) -> Found:
    """What both searches find. Turns are short: it takes more of them to see where hits are dense."""
    return searched(
        query,
        SearchRequest(
            words=query.words,
            vector=query.vector,
            filters=query.filters,
            limit=most,
            turn_limit=most_of_turns,
            weights=WEIGHTS,
        ),
    )


def _others(
    query: SearchQuery, candidates: Set[str], most: int, score: float
) -> Iterator[RankedBlock]:
    """What is not a candidate, by its better rank in the two searches: few packs have room for it.

    Fused with the candidates it would change their order with the size of the share.
    """
    found = _found(query, most, 0)
    text = named(query.view, found, found.by_text, found.text, "text")
    vector = named(query.view, found, found.by_vector, found.cosines, "vector")
    known = {*candidates}
    for hit in chain.from_iterable(map(_present, zip_longest(text, vector))):
        if hit.block_id not in known:
            known.add(hit.block_id)
            parts = partial(_parts, {hit.search: hit.score})
            yield RankedBlock(hit.block_id, hit.place.document_id, score, parts)


def _present(hits: Iterable[Hit | None]) -> Iterator[Hit]:
    return (each for each in hits if each is not None)


def _parts(parts: Mapping[str, float], _block: str) -> Mapping[str, float]:
    return parts


def _searches(query: SearchQuery, spec: HybridSpec, found: Found) -> Iterator[Search[int]]:
    """Both searches, each with a score for every block that one of them found.

    Without them a block that only one search found would get the lowest score of the other.
    """
    rows = range(len(found))
    if found.terms:
        # Blocks without any of the words are named too: a fusion takes means over all candidates.
        scores = dict(zip(rows, found.text.tolist(), strict=True))
        yield Search("text", scores, spec.text_weight, missing=0.0)
    if query.vector is not None:
        compared = (~np.isnan(found.cosines)).nonzero()[0]
        scores = dict(zip(compared.tolist(), found.cosines[compared].tolist(), strict=True))
        yield Search("vector", scores, _vector_weight(query, spec, found))


def _with_support(
    query: SearchQuery, found: Found, scored: ScoredBlocks, best: Integers
) -> tuple[Found, ScoredBlocks]:
    """With what blocks around the best lend each other, and similar blocks those that have none."""
    lengths, turns = found.lengths[best], found.turns[best]
    groups = [*_groups(best, lengths, turns)]
    around = found.around([(rows, kernel.reach) for kernel, rows in groups])
    found = around.found
    scored = replace(scored, numbers=around.moved[scored.numbers])
    rows_lent, lent = [_NO_ROWS], [_NOTHING]
    alone = [around.moved[best[lengths == 1]]]
    sequences, positions = found.sequences, found.positions
    for (kernel, _), rows in zip(groups, around.near, strict=True):
        scores = scored.score_of(rows)
        support = support_from_neighbours(sequences[rows], positions[rows], scores, kernel)
        rows_lent.append(rows[support.lent > 0])
        lent.append(support.lent[support.lent > 0])
        alone.append(rows[support.alone])
    near = np.concatenate(rows_lent)
    if len(near):
        scored = scored.adding("neighbours", near, np.concatenate(lent))
    lonely = np.concatenate(alone)
    best, is_lonely = around.moved[best], np.zeros(len(found), dtype=np.bool_)
    is_lonely[lonely] = True
    return found, _with_resemblance(query, found, scored, best[is_lonely[best]])


def _groups(best: Integers, lengths: Integers, turns: Flags) -> Iterator[tuple[Kernel, Integers]]:
    """The kernels with the rows that each is for: in a short session it has less reach."""
    several = lengths > 1
    for kernel, kind in ((TURNS, turns & several), (BLOCKS, ~turns & several)):
        known = {each: kernel.within(each).reach for each in distinct(lengths[kind]).tolist()}
        reaches = np.array([known[each] for each in lengths[kind].tolist()], dtype=np.int64)
        for reach in distinct(reaches).tolist():
            yield replace(kernel, reach=reach), best[kind][reaches == reach]


def _with_resemblance(
    query: SearchQuery, found: Found, scored: ScoredBlocks, alone: Integers
) -> ScoredBlocks:
    """With the support that similar blocks lend each other, among the best without neighbours."""
    if query.vector is None or not len(alone):
        return scored
    embedded, rows = found.unit_vectors(alone)
    return add_resemblance(scored, embedded, rows) if len(embedded) else scored


_NO_ROWS: Final = np.empty(0, dtype=np.int64)
_NOTHING: Final = np.empty(0)


_UNKNOWN_LANGUAGE: Final = 0.25
"""The part of its weight that a vector keeps in a language that its model was not trained on: words that
are the same in a query and a text are sure."""
_MOST_FOR_TURNS: Final = 1.0
"""A turn is short: its words say more about it than its vector does, whatever the model."""


def _vector_weight(query: SearchQuery, spec: HybridSpec, found: Found) -> float:
    """The weight in the plan, else the one of the embedder, and less of it for turns.

    It is a part of that for a query in a language that the embedder does not know.

    Among prose and turns it is in between, by their shares: one weight for all candidates keeps
    their scores comparable.
    """
    assert query.embedder is not None
    own, written = query.embedder.vector_weight, spec.vector_weights
    if foreign_language(query.text, query.embedder) is not None:
        own *= _UNKNOWN_LANGUAGE
    blocks = own if written.blocks is None else written.blocks
    turns = min(own, _MOST_FOR_TURNS) if written.turns is None else written.turns
    if blocks == turns:
        return blocks
    share = float(found.turns.mean()) if len(found) else 0.0
    return share * turns + (1 - share) * blocks


_FIRST: Final = 8
"""How many are named at first, if nobody will see more, and each time as many as are named already."""


class DeferredRanking(Sequence[RankedBlock]):
    """Blocks best first, ties by id.

    The order of writing differs between stores, so ties are ordered by id. That needs names: a tie is
    always named as a whole, even if it goes beyond what is read.
    """

    def __init__(
        self, query: SearchQuery, found: Found, scored: ScoredBlocks, ahead: Ahead | None = None
    ) -> None:
        # Not the query: it remembers its rankings, and they would be a cycle.
        self._reading = query.reading
        self._ahead = ahead
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

    def __iter__(self) -> Iterator[RankedBlock]:
        named = 0
        while named < len(self._order):
            if named == len(self._named):
                self._name_more()
            yield self._named[named]
            named += 1

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
        ahead = None if start else self._ahead
        first = _FIRST
        if ahead:
            first = max(first, ahead.shown)
            if self._reading.view.travels:
                first = max(first, ahead.compared)
        last = self._falling[min(max(first, 2 * start), len(self)) - 1]
        rows = self._order[start : (-self._falling).searchsorted(-last, side="right")]
        numbers = self._scored.numbers[rows]
        places = self._reading.view.places(self._names, numbers, ahead=ahead)
        self._rows.update(zip([place.block_id for place in places], rows.tolist(), strict=True))
        scores = self._scored.totals[rows].tolist()
        found = [
            RankedBlock(place.block_id, place.document_id, score, self._parts_of)
            for place, score in zip(places, scores, strict=True)
        ]
        found.sort(key=attrgetter("block_id"))
        self._named += sorted(found, key=attrgetter("score"), reverse=True)


def _parts_of(
    rows: Mapping[str, int], parts: Mapping[str, Numbers], block: str
) -> Mapping[str, float]:
    at_row = map(itemgetter(rows[block]), parts.values())
    return dict(zip(parts, map(float, at_row), strict=True))
