"""Ranks the blocks of a collection: what every store does, whatever database is below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.base.joining import holding
from biblicus_context.retrieval.analysis import rare_terms
from biblicus_context.retrieval.smoothing import distinct
from biblicus_context.stores.errors import MalformedError
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.found import Found, SearchRequest
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.ranking import bm25
from biblicus_context.stores.ranking.collection import CollectionBlocks
from biblicus_context.stores.ranking.columns import Columns
from biblicus_context.stores.ranking.conversations import OrderedBlocks
from biblicus_context.stores.ranking.matrix import Matrix, row_of
from biblicus_context.stores.ranking.memory import MEMORY
from biblicus_context.stores.ranking.needles import Needle, exact_needles
from biblicus_context.stores.ranking.postings import (
    Postings,
    count_of,
    phrase,
    postings_of,
)
from biblicus_context.stores.ranking.sequences import SequenceIndex
from biblicus_context.stores.ranking.spelling import alike
from biblicus_context.stores.ranking.visible_blocks import (
    VisibleBlocks,
    filters_key,
    flags_of_blocks,
    flags_of_documents,
    resized,
    view_key,
)
from biblicus_context.stores.refusals import other_dimensions
from biblicus_context.stores.results import TermCounts
from biblicus_context.stores.source import Owner, Reading, ReadState, Wanted
from biblicus_context.stores.words import Stems, stems_by_text

_WORDS_OF_A_QUERY: Final = 32
"""Hardly any has more; a text that is ranked has."""
_STEMS_AT_ONCE: Final = 256


class Ranking:
    """What is kept of one collection, in the memory that all stores share.

    Columns and matrices only ever grow with what is written. They serve all versions from their
    `oldest` on, and older ones for those who never saw what is gone. A read that began before it went
    builds its own, and does not replace these.
    Everything else has the version and what the principal sees in its key: a key without them would
    answer one user with another's results.
    """

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.growing = owner.growing

    def columns(self, pin: ReadState) -> Columns:
        """The columns that are known, if they serve this read; else empty ones."""
        known: Columns | None = MEMORY.get((self._owner, pin.repacked))
        return known if known and pin.is_served_from(known.oldest) else Columns.empty()

    def keep_columns(self, columns: Columns, pin: ReadState) -> None:
        """Remember columns, unless there are newer ones."""
        key = (self._owner, pin.repacked)
        known: Columns | None = MEMORY.get(key)
        if known is None or columns.newest > known.newest:
            MEMORY.put(key, columns)

    def matrix(self, model: str, pin: ReadState) -> Matrix | None:
        """The embeddings by a model that are known, if they serve this read."""
        known: Matrix | None = MEMORY.get((self._owner, pin.repacked, model))
        return known if known and pin.is_served_from(known.oldest) else None

    def keep_matrix(self, model: str, matrix: Matrix, pin: ReadState) -> None:
        """Remember embeddings, unless there are newer ones."""
        key = (self._owner, pin.repacked, model)
        known: Matrix | None = MEMORY.get(key)
        if known is None or matrix.newest > known.newest or matrix.saved > known.saved:
            MEMORY.put(key, matrix)


class RankedReading:
    """The rankings of one view: what one of its searches has read, the next one need not."""

    def __init__(self, reading: Reading, principal: Principal) -> None:
        self._ranking = Ranking(reading.owner)
        self._reading = reading
        self._pin = reading.pin
        self._seen_by = view_key(principal)
        self._whole: Columns | None = None
        """The columns, once all blocks of this version are among them."""
        self._visible: dict[str, VisibleBlocks] = {}
        self._postings: dict[Stems, Postings] = {}
        self._matrices: dict[str, Matrix | None] = {}

    def search(self, request: SearchRequest) -> Found:
        """The best blocks by words and by meaning."""
        filters, changes = filters_key(request.filters), request.filters.accessed is not None
        stems = stems_by_text((*request.words, *request.terms))
        query, exact = request.vector, request.similarity is None
        sought = stems.values() if exact else (stems[each] for each in request.words)
        model = None if query is None else query.model
        columns = self._loaded((NO_FILTERS, request.filters), sought, model)
        counted = self._visible[filters]
        terms = (*self._without_common(request.words, stems), *request.terms)
        scores = self._scores(request, filters, [own for each in terms if (own := stems[each])])
        matrix = None if query is None else self._matrix_for(query)
        ordered = self._ordered(columns, filters, changes=changes)
        key = None if changes else self._key(columns, "all", filters)
        blocks = CollectionBlocks(
            ordered.columns, ordered.index, counted.flags, scores, matrix, key
        )
        cosines = None if matrix is None or query is None else _cosines(matrix, query)
        compared = _compared(blocks)
        by_text, by_vector = self._best(blocks, cosines, compared, request.limit)
        found = distinct(by_text, by_vector)
        if request.turn_limit > request.limit and blocks.turns(found).any():
            by_text, by_vector = self._best(blocks, cosines, compared, request.turn_limit)
            found = distinct(by_text, by_vector)
        return Found(
            blocks,
            found,
            terms,
            blocks.text(found),
            _cosines_of(blocks, cosines, found),
            found.searchsorted(by_text),
            found.searchsorted(by_vector),
            counted.blocks - len(compared.ordinals),
        )

    def count_terms(self, terms: Sequence[str]) -> TermCounts:
        """How many blocks that the principal sees contain each term."""
        stems = stems_by_text(terms)
        # Of a query the search reads the same blocks next, so they are kept; of a text they are many.
        is_of_query = len(stems) <= _WORDS_OF_A_QUERY
        columns = self._loaded((NO_FILTERS,), stems.values() if is_of_query else ())
        counts = self._counts(columns, {each for each in stems.values() if each})
        found = {each: counts[own] if own else 0 for each, own in stems.items()}
        return TermCounts(self._visible[_ALL].blocks, found)

    def prepare(self) -> None:
        """Load what searches begin with."""
        self._loaded((NO_FILTERS,))

    # What is read: whatever nobody has read before, in one round trip

    def _loaded(
        self,
        filters: Collection[Filters],
        stems: Iterable[Stems] = (),
        model: str | None = None,
    ) -> Columns:
        """The columns, once what is asked for is known too."""
        asked = {filters_key(each): each for each in filters}
        sought = {each for each in stems if each}
        columns = self._known_columns()
        wanted = self._missing(columns, asked, sought, model)
        if wanted == _NOTHING:
            return columns
        if wanted.columns_after is None and wanted.model is None:
            self._take(columns, wanted, asked, sought)
            return columns
        with holding(self._ranking.growing):  # another thread may have read the same meanwhile
            columns = self._known_columns()
            wanted = self._missing(columns, asked, sought, model)
            return self._take(columns, wanted, asked, sought)

    def _known_columns(self) -> Columns:
        if self._whole is not None:
            return self._whole
        known = self._ranking.columns(self._pin)
        if known.newest >= self._pin.version:
            self._whole = known
        return known

    def _missing(
        self,
        columns: Columns,
        filters: Mapping[str, Filters],
        stems: Collection[Stems],
        model: str | None,
    ) -> Wanted:
        unseen = [each for key, each in filters.items() if not self._is_seen(columns, key, each)]
        prefix = self._key(columns)
        unread = [each for each in stems if not self._is_read(prefix, each)]
        known = None if model is None else self._known_matrix(model)
        return Wanted(
            columns_after=None if self._whole is not None else columns.last,
            messages_after=None if self._whole is not None else columns.documents,
            filters=unseen,
            stems=sorted({each[0] for each in unread if len(each) == 1}),
            phrases=sorted({stem for each in unread if len(each) > 1 for stem in each}),
            model=None if model is None or model in self._matrices else model,
            matrix=known,
        )

    def _take(
        self,
        columns: Columns,
        wanted: Wanted,
        filters: Mapping[str, Filters],
        stems: Collection[Stems],
    ) -> Columns:
        """Read what is wanted, and keep it."""
        packs = self._reading.read(wanted)
        try:
            if wanted.columns_after is not None:
                columns = columns.extended(self._pin, packs.columns, packs.messages)
                self._whole = columns
                self._ranking.keep_columns(columns, self._pin)
            self._visible = {k: each.resized(len(columns)) for k, each in self._visible.items()}
            for each, rows in zip(wanted.filters, packs.documents, strict=True):
                self._see(columns, each, rows)
        except MalformedError as error:
            raise self._reading.damaged(str(error)) from error
        flags, prefix = self._visible[_ALL].flags, self._key(columns)
        for own in stems:
            if own not in self._postings:
                occurrences = (
                    packs.occurrences[own[0]]
                    if len(own) == 1
                    else phrase([packs.positions[stem] for stem in own])
                )
                postings = postings_of(columns, flags, occurrences)
                self._postings[own] = postings
                MEMORY.put((*prefix, own), postings)
        if wanted.model is not None:
            self._matrices[wanted.model] = packs.matrix
            if packs.matrix is not None:
                self._ranking.keep_matrix(wanted.model, packs.matrix, self._pin)
        return columns

    def _key(self, columns: Columns, *rest: object) -> tuple[object, ...]:
        pin = self._pin
        return (columns.lineage, self._seen_by, pin.version, pin.hidden, *rest)

    def _is_seen(self, columns: Columns, key: str, filters: Filters) -> bool:
        if key in self._visible:
            return True
        if filters.accessed is not None:  # a use changes this time without making a version
            return False
        known: VisibleBlocks | None = MEMORY.get(self._key(columns, key))
        if known is not None:
            # Columns that are not whole yet are shorter: what was cut off would come back as hidden.
            whole = self._whole is not None
            self._visible[key] = known.resized(len(columns)) if whole else known
        return known is not None

    def _see(self, columns: Columns, filters: Filters, rows: Integers) -> None:
        flags = (
            flags_of_blocks(columns, rows)
            if filters.block_metadata
            else flags_of_documents(columns, rows, self._pin)
        )
        key = filters_key(filters)
        visible = self._visible[key] = VisibleBlocks.of(columns, flags)
        if filters.accessed is None:
            MEMORY.put(self._key(columns, key), visible)

    def _is_read(self, prefix: tuple[object, ...], stems: Stems) -> bool:
        if stems in self._postings:
            return True
        known: Postings | None = MEMORY.get((*prefix, stems))
        if known is not None:
            self._postings[stems] = known
        return known is not None

    def _known_matrix(self, model: str) -> Matrix | None:
        known = self._ranking.matrix(model, self._pin)
        if known is not None and known.newest >= self._pin.version:
            self._matrices.setdefault(model, known)
            return None
        return known

    # What is computed

    def _without_common(self, words: Sequence[str], stems: Mapping[str, Stems]) -> tuple[str, ...]:
        """The words that most blocks do not have.

        They are counted in what the principal may read, and not below the filters: a filter must
        change which blocks are found, but not by which words.
        """
        if not words:
            return ()
        known = self._counts(self._known_columns(), {stems[each] for each in words if stems[each]})
        counts = {each: known[stems[each]] if stems[each] else 0 for each in words}
        return rare_terms(words, counts, self._visible[_ALL].blocks)

    def _counts(self, columns: Columns, stems: Collection[Stems]) -> Mapping[Stems, int]:
        counts: dict[Stems, int] = {}
        for each in stems:
            own = self._postings.get(each)  # a search for them has read these
            known = len(own.ordinals) if own else MEMORY.get(self._key(columns, "count", each))
            if known is not None:
                counts[each] = known
        missing = sorted({*stems} - counts.keys())
        for start in range(0, len(missing), _STEMS_AT_ONCE):
            counts |= self._read_counts(columns, missing[start : start + _STEMS_AT_ONCE])
        return counts

    def _read_counts(self, columns: Columns, stems: Sequence[Stems]) -> Mapping[Stems, int]:
        packs = self._reading.read(
            Wanted(
                stems=[each[0] for each in stems if len(each) == 1],
                phrases=sorted({stem for each in stems if len(each) > 1 for stem in each}),
            )
        )
        flags, counts = self._visible[_ALL].flags, {}
        for each in stems:
            found = (
                packs.occurrences[each[0]]
                if len(each) == 1
                else phrase([packs.positions[stem] for stem in each])
            )
            counts[each] = count_of(columns, flags, found)
            MEMORY.note(self._key(columns, "count", each), counts[each])
        return counts

    def _scores(
        self, request: SearchRequest, filters: str, terms: Sequence[Stems]
    ) -> Numbers | None:
        """BM25 among what meets the filters: a speaker's name is rare in a pool of meetings, and
        in each turn of the meeting that is searched."""
        if not terms:
            return None
        columns = self._known_columns()
        if request.filters.accessed is not None:  # a use changes what is counted
            return self._computed_scores(columns, request, filters, terms)
        key = self._key(columns, tuple(terms), request.weights, request.similarity, filters)
        scores = MEMORY.sized(key, lambda: self._computed_scores(columns, request, filters, terms))
        return resized(scores, len(columns))

    def _computed_scores(
        self, columns: Columns, request: SearchRequest, filters: str, terms: Sequence[Stems]
    ) -> Numbers:
        needles = self._needles(terms, request.similarity)
        counted = self._visible[filters]

        def find(stems: Stems) -> Postings:
            return self._postings[stems].among(counted.flags)

        return bm25.scores(find, columns, counted, needles, request.weights)

    def _needles(self, terms: Sequence[Stems], similarity: float | None) -> list[Needle]:
        """What to look for, sorted: sums of floats depend on their order, scores must not on the terms'."""
        if similarity is None:
            return exact_needles(terms)
        single = sorted(Counter(stem for stems in terms for stem in stems).items())
        candidates = self._reading.spelt_like([stem for stem, _ in single])
        needles = [
            Needle(alike(stem, candidates[stem], similarity), repeats) for stem, repeats in single
        ]
        self._loaded((), [each.stems for needle in needles for each in needle.spellings])
        return needles

    def _ordered(self, columns: Columns, filters: str, *, changes: bool) -> OrderedBlocks:
        """The columns with the order of their blocks, which is the same for every search without messages."""
        if not columns.messages.size:
            index = MEMORY.sized((columns.lineage, len(columns)), lambda: SequenceIndex.of(columns))
            return OrderedBlocks(columns, index)
        flags = self._visible[filters].flags
        if changes:
            return OrderedBlocks.of(columns, flags)
        key = self._key(columns, "ordered", filters)
        return MEMORY.sized(key, lambda: OrderedBlocks.of(columns, flags))

    def _matrix_for(self, query: Vectors) -> Matrix | None:
        """The embeddings by the model of a query, which must have the query's dimensions."""
        matrix = self._matrices[query.model]
        if matrix is not None and query.dimensions != matrix.model.dimensions:
            # An error would reveal that somebody else in the workspace uses this model.
            ordinals = self._known_columns().ordinals_of(matrix.blocks)
            if not self._visible[_ALL].flags[ordinals[ordinals >= 0]].any():
                return None
            kept, size = matrix.model.dimensions, query.dimensions
            raise other_dimensions(query.model, kept, size, place="query")
        return matrix

    def _best(
        self, blocks: CollectionBlocks, cosines: Numbers | None, compared: _Compared, limit: int
    ) -> tuple[Integers, Integers]:
        """The ordinals of what each of the two searches returns, in rising order."""
        by_text = by_vector = _NO_ORDINALS
        if blocks.scores is not None:
            ordinals = (blocks.flags & (blocks.scores > 0.0)).nonzero()[0]
            by_text = self._first(blocks.columns, ordinals, blocks.scores[ordinals], limit)
        if cosines is not None:
            scores = cosines[compared.numbers]
            by_vector = self._first(blocks.columns, compared.ordinals, scores, limit)
        return by_text, by_vector

    def _first(self, columns: Columns, ordinals: Integers, scores: Numbers, limit: int) -> Integers:
        """The best of them; of those that tie with the last one, the lower block ids are kept.

        Only blocks that tie at the end are looked up by id: there are few, and names are slow.
        """
        places = _best_and_ties(scores, limit)
        ordinals, scores = ordinals[places], scores[places]
        surplus = len(ordinals) - limit
        if surplus > 0:
            flags = np.ones(len(ordinals), dtype=np.bool_)
            tied = np.flatnonzero(scores == scores.min(initial=np.inf))
            rows = columns.table.rows[ordinals]
            names = self._reading.names(rows[tied].tolist())
            by_id = sorted(tied.tolist(), key=lambda place: names[int(rows[place])].block_id)
            flags[by_id[len(by_id) - surplus :]] = False
            ordinals = ordinals[flags]
        ordinals.sort()  # its own: an index made it
        return ordinals


class _Compared(NamedTuple):
    """The blocks of an answer that have an embedding by the model of the query."""

    numbers: Integers
    """Of their rows in the matrix."""
    ordinals: Integers


def _compared(blocks: CollectionBlocks) -> _Compared:
    if blocks.matrix is None:
        return _Compared(_NO_ORDINALS, _NO_ORDINALS)
    ordinals = blocks.columns.ordinals_of(blocks.matrix.blocks)
    # The matrix may already contain blocks of a newer version, which have no ordinal (-1).
    known = ordinals >= 0
    met = np.flatnonzero(blocks.flags[ordinals] & known if len(blocks.flags) else known)
    return _Compared(met, ordinals[met])


def _cosines(matrix: Matrix, query: Vectors) -> Numbers:
    """The cosine of every row of a matrix, kept for the next page."""
    key = (matrix.lineage, query.data)
    return MEMORY.sized(key, lambda: matrix.cosines(row_of(query)))


def _cosines_of(blocks: CollectionBlocks, cosines: Numbers | None, ordinals: Integers) -> Numbers:
    found = np.full(len(ordinals), np.nan)
    if blocks.matrix is not None and cosines is not None:
        numbers = blocks.matrix.numbers(blocks.table.rows[ordinals])
        there = numbers >= 0
        found[there] = cosines[numbers[there]]
    return found


def _best_and_ties(scores: Numbers, wanted: int) -> Integers:
    """The indices of the best scores, in no order, with all that tie with the last of them."""
    if wanted >= len(scores):
        return np.arange(len(scores))
    if wanted == 0:
        return np.arange(0)
    place, rising = len(scores) - wanted, scores.copy()
    rising.partition(place)
    least = rising[place]
    places: Integers = (scores >= least).nonzero()[0]
    return places


_ALL: Final = filters_key(NO_FILTERS)
_NOTHING: Final = Wanted(filters=[], stems=[], phrases=[])
_NO_ORDINALS: Final = np.empty(0, dtype=np.int64)
