"""What a process holds of a workspace between two searches; all of it can be read again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias, TypeVar

from biblicus_context.base.arrays import Numbers
from biblicus_context.base.bounded_memory import BoundedMemory
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
from biblicus_context.stores.sqlite.rank.postings import Found, found
from biblicus_context.stores.sqlite.rank.words import CUTTER, Stems
from biblicus_context.stores.sqlite.read.conditions import condition
from biblicus_context.stores.sqlite.read.line import Line
from biblicus_context.stores.sqlite.read.reading import Reading
from biblicus_context.stores.sqlite.read.seen import Seen, fitted, seen

_LEAST_FILED: Final = 4096
"""Embeddings that are read from the database at once faster than a file is worth writing."""
_LONGEST_WORD: Final = 64
"""Characters of a term that is kept with its stems."""
_MEBIBYTE: Final = 1024 * 1024
_BYTES_OF_AN_ENTRY: Final = 512
"""What a key and a value take besides their content."""
_BYTES_OF_A_CHARACTER: Final = 8
"""Of a key's repr: most of a short text is its object header."""

Value = TypeVar("Value")
Memory: TypeAlias = BoundedMemory[Hashable, Value]
"""A key names everything that its value depends on, such as the version and the principal."""


def bounded_memory(most_bytes: int, size_of: Callable[[Value], int]) -> Memory[Value]:
    """A memory of values by what they depend on, limited in bytes."""
    # Keys count too: a query of rare words has long keys and next to nothing as values.
    return BoundedMemory(
        most_bytes,
        lambda key, value: (
            size_of(value) + _BYTES_OF_AN_ENTRY + _BYTES_OF_A_CHARACTER * len(repr(key))
        ),
    )


class Held:
    """Only ever grows with what is written; a reading of the past that it cannot serve reads anew."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._lock = Lock()
        self._columns = Columns.none()
        self._matrices: dict[Model, Matrix] = {}
        self._files = True
        self._seen: Memory[Seen] = bounded_memory(32 * _MEBIBYTE, lambda each: each.nbytes)
        self._scores: Memory[Numbers] = bounded_memory(16 * _MEBIBYTE, lambda each: each.nbytes)
        self._stems: Memory[Stems] = bounded_memory(4 * _MEBIBYTE, lambda _: 2 * _LONGEST_WORD)
        self._lines: Memory[Line] = bounded_memory(32 * _MEBIBYTE, lambda each: each.nbytes)
        self._cosines: Memory[Numbers] = bounded_memory(16 * _MEBIBYTE, lambda each: each.nbytes)
        self._found: Memory[Found] = bounded_memory(
            16 * _MEBIBYTE, lambda each: sum(part.nbytes for part in each)
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
        known = self._seen.get_or_compute(key, lambda: seen(reading, columns, where))
        return Seen(fitted(known.flags, len(columns)), known.ordinals, known.mean_words)

    def scores(
        self, reading: Reading, columns: Columns, of: Hashable, compute: Callable[[], Numbers]
    ) -> Numbers:
        """The scores of all blocks, remembered for the next page and for single blocks."""
        known = self._scores.get_or_compute(
            (columns.lineage, reading.eyes, reading.at, of), compute
        )
        return fitted(known, len(columns))

    def stems(self, term: str) -> Stems:
        """The stems of a term, for which a query asks twice, and often the next one too."""
        if len(term) > _LONGEST_WORD:
            return CUTTER.stems_of(term)
        return self._stems.get_or_compute(term, lambda: CUTTER.stems_of(term))

    def found(self, reading: Reading, columns: Columns, everything: Seen, stems: Stems) -> Found:
        """Where stems stand; the common words of one query are those of the next."""
        key = (columns.lineage, reading.eyes, reading.at, stems)
        return self._found.get_or_compute(
            key, lambda: found(reading.connection, columns, everything.flags, stems)
        )

    def line(self, columns: Columns) -> Line:
        """All blocks in the order of their sequences."""
        return self._lines.get_or_compute((columns.lineage, len(columns)), lambda: Line.of(columns))

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
        return self._cosines.get_or_compute(
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
