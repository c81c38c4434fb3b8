"""What a process holds of a workspace between two searches; all of it can be read again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import Final

from biblicus_context.base.arrays import Numbers
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.sqlite.rank import matrix_file
from biblicus_context.stores.sqlite.rank.columns import Columns
from biblicus_context.stores.sqlite.rank.matrix import (
    Matrix,
    Model,
    has_rows,
    no_matrix,
    parts,
    row_of,
)
from biblicus_context.stores.sqlite.rank.matrix_file import Stamp
from biblicus_context.stores.sqlite.rank.memory import Memory
from biblicus_context.stores.sqlite.rank.postings import Found, found
from biblicus_context.stores.sqlite.rank.stemmer import CUTTER, Stems
from biblicus_context.stores.sqlite.read.conditions import condition
from biblicus_context.stores.sqlite.rank.sequences import Line
from biblicus_context.stores.sqlite.read.reading import Reading
from biblicus_context.stores.sqlite.rank.visible_blocks import Seen, fitted, seen

_LEAST_FILED: Final = 4096
"""Embeddings that are read from the database at once faster than a file is worth writing."""
_LONGEST_WORD: Final = 64
"""Characters of a term that is kept with its stems."""
_MEBIBYTE: Final = 1024 * 1024


class Held:
    """Only ever grows with what is written; a reading of the past that it cannot serve reads anew."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._lock = Lock()
        self._columns = Columns.none()
        self._matrices: dict[Model, Matrix] = {}
        self._files = True
        self._seen: Memory[Seen] = Memory(lambda each: each.nbytes, 32 * _MEBIBYTE)
        self._scores: Memory[Numbers] = Memory(lambda each: each.nbytes, 16 * _MEBIBYTE)
        self._stems: Memory[Stems] = Memory(lambda _: 2 * _LONGEST_WORD, 4 * _MEBIBYTE)
        self._lines: Memory[Line] = Memory(lambda each: each.nbytes, 32 * _MEBIBYTE)
        self._cosines: Memory[Numbers] = Memory(lambda each: each.nbytes, 16 * _MEBIBYTE)
        self._found: Memory[Found] = Memory(
            lambda each: sum(part.nbytes for part in each), 16 * _MEBIBYTE
        )

    def columns(self, reading: Reading) -> Columns:
        """The short columns of all blocks that this reading may need."""
        with self._lock:
            if reading.at >= self._columns.oldest:
                self._columns = self._columns.extended(reading.connection)
                return self._columns
        return Columns.none().extended(reading.connection)

    def seen(self, reading: Reading, columns: Columns, filters: Filters) -> Seen:
        """The blocks that may be seen and meet the filters."""
        where = condition(filters)
        if filters.accessed is not None:  # a use changes it without making a version
            return seen(reading, columns, where)
        key = (columns.lineage, reading.eyes, reading.at, where)
        known = self._seen.get(key, lambda: seen(reading, columns, where))
        return Seen(fitted(known.flags, len(columns)), known.ordinals, known.mean_words)

    def scores(
        self, reading: Reading, columns: Columns, of: Hashable, compute: Callable[[], Numbers]
    ) -> Numbers:
        """The scores of all blocks, remembered for the next page and for single blocks."""
        known = self._scores.get((columns.lineage, reading.eyes, reading.at, of), compute)
        return fitted(known, len(columns))

    def stems(self, term: str) -> Stems:
        """The stems of a term, for which a query asks twice, and often the next one too."""
        if len(term) > _LONGEST_WORD:
            return CUTTER.stems_of(term)
        return self._stems.get(term, lambda: CUTTER.stems_of(term))

    def found(self, reading: Reading, columns: Columns, everything: Seen, stems: Stems) -> Found:
        """Where stems stand; the common words of one query are those of the next."""
        key = (columns.lineage, reading.eyes, reading.at, stems)
        return self._found.get(
            key, lambda: found(reading.connection, columns, everything.flags, stems)
        )

    def line(self, columns: Columns) -> Line:
        """All blocks in the order of their sequences."""
        return self._lines.get((columns.lineage, len(columns)), lambda: Line.of(columns))

    def matrix(self, reading: Reading, model: Model) -> Matrix:
        """All embeddings of a model that this reading may need."""
        with self._lock:
            matrix = self._matrices.get(model) or self._loaded(reading, model)
            if reading.at >= matrix.oldest:
                self._matrices[model] = matrix = self._extended(reading, matrix)
                return matrix
        return no_matrix(model).extended(reading.connection)

    def cosines(self, matrix: Matrix, query: Vectors) -> Numbers:
        """The cosine of every row of a matrix, remembered for the next page."""
        return self._cosines.get(
            (matrix.lineage, query.data), lambda: matrix.cosines(row_of(query))
        )

    def file(self, reading: Reading, model: Model) -> None:
        """Write the matrix of a model beside the database, where it is not all in a file yet."""
        matrix = self.matrix(reading, model)
        with self._lock:
            if len(matrix.blocks) > matrix.filed:
                self._matrices[model] = self._refiled(reading, matrix)

    def _extended(self, reading: Reading, matrix: Matrix) -> Matrix:
        if not matrix.parts and has_rows(reading.connection, matrix.model, _LEAST_FILED):
            matrix = self._refiled(reading, matrix)  # from row to file, and never all in memory
        matrix = matrix.extended(reading.connection)
        if len(matrix.blocks) - matrix.filed < max(_LEAST_FILED, len(matrix.blocks) // 4):
            return matrix
        return self._refiled(reading, matrix)

    def _refiled(self, reading: Reading, matrix: Matrix) -> Matrix:
        if not self._files:
            return matrix
        path, stamp = self._file(reading, matrix.model)
        everything = parts(reading.connection, matrix.model, 0)
        (oldest,) = reading.connection.execute("SELECT oldest FROM space").fetchone()
        matrix_file.save(path, stamp, everything, oldest)
        loaded = matrix_file.load(path, stamp)
        self._files = loaded is not None
        return loaded or matrix

    def _loaded(self, reading: Reading, model: Model) -> Matrix:
        return matrix_file.load(*self._file(reading, model)) or no_matrix(model)

    def _file(self, reading: Reading, model: Model) -> tuple[Path, Stamp]:
        (identity,) = reading.connection.execute("SELECT identity FROM space").fetchone()
        path = self._database.with_suffix(f".{model.number}.vectors")
        return path, Stamp(identity, model.number, model.dimensions)
