"""Searches by words without numpy: slower, with the same scores to the last bit."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NoReturn

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.errors import MissingExtraError
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.query_checks import TextQuery
from biblicus_context.stores.refusals import no_such_number
from biblicus_context.stores.results import BlockPlace, Bm25, Ranked, TermCounts
from biblicus_context.stores.sqlite.rank.needles import Needle, exact_needles, rarity
from biblicus_context.stores.sqlite.rank.places import places_of
from biblicus_context.stores.sqlite.rank.stemmer import STEMMER, Stems
from biblicus_context.stores.sqlite.read.conditions import conditions
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, all_of
from biblicus_context.stores.sqlite.schema.packing import unpacked

_OCCURRENCES: Final = "SELECT doc FROM word_places WHERE term = ?"
_POSITIONS: Final = "SELECT doc, offset FROM word_places WHERE term = ?"
_BLOCKS: Final = (
    "SELECT b.row FROM documents d"
    " JOIN blocks b ON b.document = d.row JOIN texts x ON x.block = b.row"
)
_MOST_REMEMBERED: Final = 8


@dataclass(frozen=True)
class _Blocks:
    """The blocks that can be seen: the words of each by its row, in rising order."""

    words: Mapping[int, int]

    @cached_property
    def rows(self) -> Sequence[int]:
        return [*self.words]

    @cached_property
    def mean_words(self) -> float:
        return sum(self.words.values()) / len(self.words) if self.words else 0.0

    def row(self, number: int) -> int:
        """The row of the block with this number, its place among these."""
        if not 0 <= number < len(self.rows):
            raise no_such_number(number, number)
        return self.rows[number]


class PlainSearch:
    """What commands and keyword retrievers need; the other searches name the library that they need.

    The columns of a `Ranked` are lists here: what reads them takes both.
    """

    def __init__(self, database: Path) -> None:
        del database
        self._seen = BoundedMemory[Any, _Blocks](_MOST_REMEMBERED)

    def rank_text(
        self,
        reading: WorkspaceReading,
        query: TextQuery,
        filters: Filters,
        among: Any,
        wanted: int,
    ) -> Ranked:
        """The best blocks by BM25."""
        if query.similarity is not None:
            _require_numpy()
        blocks, counted = self._visible(reading, NO_FILTERS), self._visible(reading, filters)
        terms = [stems for term in query.terms if (stems := STEMMER.stems_of(term))]
        found = _scores(reading, counted, exact_needles(terms), query.weights)
        if among is not None:
            chosen = {blocks.row(int(number)) for number in among}
            found = {row: score for row, score in found.items() if row in chosen}
        best = _best(reading, found, wanted)
        numbers: Any = [bisect_left(blocks.rows, row) for row in sorted(best)]
        kept: Any = [best[row] for row in sorted(best)]
        return Ranked(numbers, kept)

    def count(self, reading: WorkspaceReading, terms: Sequence[str]) -> TermCounts:
        """How many blocks contain each term."""
        blocks = self._visible(reading, NO_FILTERS)
        stems = {term: STEMMER.stems_of(term) for term in terms}
        found = {
            term: len({part >> 1 for part in _parts(reading, each)} & blocks.words.keys())
            if each
            else 0
            for term, each in stems.items()
        }
        return TermCounts(len(blocks.words), found)

    def places(self, reading: WorkspaceReading, numbers: Any) -> tuple[BlockPlace, ...]:
        """Ids and positions of blocks."""
        blocks = self._visible(reading, NO_FILTERS)
        rows = [blocks.row(int(number)) for number in numbers]
        named = places_of(reading, rows)
        return tuple(named[row] for row in rows)

    def prepare(self, reading: WorkspaceReading) -> None:
        """Load what searches need."""
        self._visible(reading, NO_FILTERS)

    def rank_vectors(self, *_: Any) -> NoReturn:
        """Vectors are compared by numpy."""
        _require_numpy()

    unit_vectors = layout = rank_vectors

    def _visible(self, reading: WorkspaceReading, filters: Filters) -> _Blocks:
        where = conditions(filters)
        key = (reading.connection.execute("SELECT identity FROM space").fetchone(), reading.at)

        def read() -> _Blocks:
            every = unpacked(reading.connection)
            if filters.block_metadata:
                met = {row for (row,) in reading.rows(_BLOCKS, all_of(*where))}
                return _Blocks({row: words for row, _, words, *_ in every if row in met})
            seen = {row for (row,) in reading.rows("SELECT d.row FROM documents d", where[0])}
            return _Blocks({row: words for row, document, words, *_ in every if document in seen})

        if filters.accessed is not None:  # a use changes this time without making a version
            return read()
        return self._seen.get_or_compute((key, reading.view_key, where), read)


def _require_numpy() -> NoReturn:
    raise MissingExtraError("numpy", "corpus")


def _scores(
    reading: WorkspaceReading, blocks: _Blocks, needles: Sequence[Needle], weights: Bm25
) -> dict[int, float]:
    """BM25 of every block that contains a needle, by row; the others neither score nor count."""
    total: dict[int, float] = {}
    mean = blocks.mean_words or 1.0
    for needle in needles:
        (spelling,) = needle.spellings
        counts = _frequencies(reading, blocks, spelling.stems, weights)
        weight = needle.repeats * rarity(len(blocks.words), len(counts))
        for row, count in counts.items():
            length = blocks.words[row] / mean
            saturation = weights.k1 * (1.0 - weights.b + weights.b * length)
            gained = weight * count * (weights.k1 + 1.0) / (count + saturation)
            total[row] = total.get(row, 0.0) + gained
    return {row: score for row, score in total.items() if score > 0.0}


def _frequencies(
    reading: WorkspaceReading, blocks: _Blocks, stems: Stems, weights: Bm25
) -> dict[int, float]:
    # Index rows: 2 x row is the text of a block, 2 x row + 1 its title and headings (tables.py).
    found = Counter(_parts(reading, stems))
    rows = sorted({part >> 1 for part in found} & blocks.words.keys())
    return {
        row: weights.text * found[2 * row] + weights.heading * found[2 * row + 1] for row in rows
    }


def _parts(reading: WorkspaceReading, stems: Stems) -> list[int]:
    """The index row of each place where these stems follow each other directly."""
    first, *others = stems
    connection = reading.connection
    if not others:
        return [part for (part,) in connection.execute(_OCCURRENCES, (first,))]
    found = {*_positions(connection, first)}
    for distance, stem in enumerate(others, start=1):
        found &= {(part, offset - distance) for part, offset in _positions(connection, stem)}
    return [part for part, _ in found]


def _positions(connection: sqlite3.Connection, stem: str) -> list[tuple[int, int]]:
    return connection.execute(_POSITIONS, (stem,)).fetchall()


def _best(reading: WorkspaceReading, scores: Mapping[int, float], wanted: int) -> dict[int, float]:
    """The best of them; of those that tie with the last one, the lower block ids are kept."""
    ranked = sorted(scores.items(), key=lambda each: -each[1])
    if wanted >= len(ranked) or not wanted:
        return dict(ranked[:wanted])
    least = ranked[wanted - 1][1]
    better = {row: score for row, score in ranked if score > least}
    named = places_of(reading, [row for row, score in ranked if score == least])
    tied = sorted(named, key=lambda row: named[row].block_id)
    return better | dict.fromkeys(tied[: wanted - len(better)], least)
