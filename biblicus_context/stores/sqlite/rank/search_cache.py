"""What a process keeps of a workspace between two searches; all of it can be read again."""

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
    EmbeddingModel,
    Matrix,
    empty_matrix,
    has_rows,
    parts,
    row_of,
)
from biblicus_context.stores.sqlite.rank.matrix_file import MatrixStamp
from biblicus_context.stores.sqlite.rank.postings import Postings, count_blocks, find_postings
from biblicus_context.stores.sqlite.rank.sequences import SequenceIndex
from biblicus_context.stores.sqlite.rank.stemmer import STEMMER, Stems
from biblicus_context.stores.sqlite.rank.visible_blocks import (
    VisibleBlocks,
    resized,
    visible_blocks,
)
from biblicus_context.stores.sqlite.read.conditions import conditions
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading

_LEAST_SAVED: Final = 4096
"""Fewer embeddings are read from the database faster than a file is written."""
_LONGEST_WORD: Final = 64
"""Characters of a term whose stems are cached."""
_MEBIBYTE: Final = 1024 * 1024
_BYTES_OF_AN_ENTRY: Final = 512
"""What a key and a value take besides their content."""
_BYTES_OF_A_CHARACTER: Final = 8
"""Of a key's repr: most of a short text is its object header."""

Value = TypeVar("Value")
Memory: TypeAlias = BoundedMemory[Hashable, Value]


def bounded_memory(most_bytes: int, size_of: Callable[[Value], int]) -> Memory[Value]:
    """A memory of values by what they depend on, limited in bytes."""
    # Keys count too: a query of rare words has long keys and almost empty values.
    return BoundedMemory(
        most_bytes,
        lambda key, value: (
            size_of(value) + _BYTES_OF_AN_ENTRY + _BYTES_OF_A_CHARACTER * len(repr(key))
        ),
    )


class SearchCache:
    """Columns and matrices only ever grow with what is written.

    They serve all versions from their `oldest` on. A read that is pinned to an older version builds
    its own from the database, and does not replace these. Every other cache has the version and the
    principal's view in its key: a key without them would answer one user with another's results.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._lock = Lock()
        self._columns = Columns.empty()
        self._repacked = 0
        self._matrices: dict[EmbeddingModel, Matrix] = {}
        self._can_save = True
        self._visible: Memory[VisibleBlocks] = bounded_memory(
            32 * _MEBIBYTE, lambda each: each.nbytes
        )
        self._scores: Memory[Numbers] = bounded_memory(16 * _MEBIBYTE, lambda each: each.nbytes)
        self._stems: Memory[Stems] = bounded_memory(4 * _MEBIBYTE, lambda _: 2 * _LONGEST_WORD)
        self._sequences: Memory[SequenceIndex] = bounded_memory(
            32 * _MEBIBYTE, lambda each: each.nbytes
        )
        self._cosines: Memory[Numbers] = bounded_memory(16 * _MEBIBYTE, lambda each: each.nbytes)
        self._postings: Memory[Postings] = bounded_memory(
            16 * _MEBIBYTE, lambda each: sum(part.nbytes for part in each)
        )
        self._counts: Memory[int] = bounded_memory(16 * _MEBIBYTE, lambda _: 32)

    def columns(self, reading: WorkspaceReading) -> Columns:
        """The short columns of all blocks that this read may need."""
        with self._lock:
            if reading.at >= self._columns.oldest:
                if reading.at > self._columns.newest:
                    self._leave_what_is_gone(reading)
                    self._columns = self._columns.extended(reading.connection)
                return self._columns
        return Columns.empty().extended(reading.connection)

    def _leave_what_is_gone(self, reading: WorkspaceReading) -> None:
        """Begin again where most of what is here was removed from the workspace."""
        (repacked,) = reading.connection.execute("SELECT repacked FROM space").fetchone()
        if repacked > self._repacked:
            self._repacked = repacked
            self._columns = Columns.empty()
            self._matrices.clear()

    def visible(
        self, reading: WorkspaceReading, columns: Columns, filters: Filters
    ) -> VisibleBlocks:
        """The blocks that can be seen and meet the filters."""
        if filters.accessed is not None:  # a use changes this time without making a version
            return visible_blocks(reading, columns, filters)
        key = (columns.lineage, reading.view_key, reading.at, conditions(filters))
        known = self._visible.get_or_compute(key, lambda: visible_blocks(reading, columns, filters))
        return VisibleBlocks(resized(known.flags, len(columns)), known.ordinals, known.mean_words)

    def scores(
        self,
        reading: WorkspaceReading,
        columns: Columns,
        query: Hashable,
        filters: Filters,
        compute: Callable[[], Numbers],
    ) -> Numbers:
        """The scores of all blocks, cached for the next page and for single blocks."""
        if filters.accessed is not None:  # a use changes what is counted without making a version
            return compute()
        key = (columns.lineage, reading.view_key, reading.at, query, conditions(filters))
        return resized(self._scores.get_or_compute(key, compute), len(columns))

    def stems(self, term: str) -> Stems:
        """The stems of a term: a search needs them twice, and the next one often needs them too."""
        if len(term) > _LONGEST_WORD:
            return STEMMER.stems_of(term)
        return self._stems.get_or_compute(term, lambda: STEMMER.stems_of(term))

    def postings(
        self, reading: WorkspaceReading, columns: Columns, visible: VisibleBlocks, stems: Stems
    ) -> Postings:
        """The blocks that contain these stems; queries share their common words."""
        key = (columns.lineage, reading.view_key, reading.at, stems)
        return self._postings.get_or_compute(
            key, lambda: find_postings(reading.connection, columns, visible.flags, stems)
        )

    def count(
        self,
        reading: WorkspaceReading,
        columns: Columns,
        visible: VisibleBlocks,
        stems: Stems,
        *,
        is_of_query: bool,
    ) -> int:
        """How many blocks contain these stems: a ranking asks for every word of what it ranks.

        Of a query the search reads the same blocks next, so they are kept.
        """

        def compute() -> int:
            if is_of_query:
                return len(self.postings(reading, columns, visible, stems).ordinals)
            return count_blocks(reading.connection, columns, visible.flags, stems)

        key = (columns.lineage, reading.view_key, reading.at, stems)
        return self._counts.get_or_compute(key, compute)

    def sequence_index(self, columns: Columns) -> SequenceIndex:
        """All blocks in the order of their sequences."""
        key = (columns.lineage, len(columns))
        return self._sequences.get_or_compute(key, lambda: SequenceIndex.of(columns))

    def matrix(self, reading: WorkspaceReading, model: EmbeddingModel) -> Matrix:
        """All embeddings of a model that this read may need."""
        with self._lock:
            matrix = self._matrices.get(model) or self._loaded(reading, model)
            if reading.at >= matrix.oldest:
                if reading.at > matrix.newest:
                    self._matrices[model] = matrix = self._extended(reading, matrix)
                return matrix
        return empty_matrix(model).extended(reading.connection)

    def cosines(self, matrix: Matrix, query: Vectors) -> Numbers:
        """The cosine of every row of a matrix, cached for the next page."""
        return self._cosines.get_or_compute(
            (matrix.lineage, query.data), lambda: matrix.cosines(row_of(query))
        )

    def save_matrix(self, reading: WorkspaceReading, model: EmbeddingModel) -> None:
        """Write the matrix of a model next to the database, unless a file has all of it."""
        matrix = self.matrix(reading, model)
        with self._lock:
            if len(matrix.blocks) > matrix.saved:
                self._matrices[model] = self._saved(reading, matrix)

    def _extended(self, reading: WorkspaceReading, matrix: Matrix) -> Matrix:
        # A large matrix goes from rows to a file that is mapped, and is never whole in memory.
        if not matrix.parts and has_rows(reading.connection, matrix.model, _LEAST_SAVED):
            matrix = self._saved(reading, matrix)
        matrix = matrix.extended(reading.connection)
        # Rewritten each time it has grown by a quarter: so all rewriting costs O(n) in total.
        if len(matrix.blocks) - matrix.saved < max(_LEAST_SAVED, len(matrix.blocks) // 4):
            return matrix
        return self._saved(reading, matrix)

    def _saved(self, reading: WorkspaceReading, matrix: Matrix) -> Matrix:
        if not self._can_save:
            return matrix
        path, stamp = self._file(reading, matrix.model)
        everything = parts(reading.connection, matrix.model, 0)
        (oldest,) = reading.connection.execute("SELECT oldest FROM space").fetchone()
        matrix_file.save(path, stamp, everything, oldest)
        loaded = matrix_file.load(path, stamp)
        # No disk space or no rights: search without a file, and do not try at each search again.
        self._can_save = loaded is not None
        return loaded or matrix

    def _loaded(self, reading: WorkspaceReading, model: EmbeddingModel) -> Matrix:
        return matrix_file.load(*self._file(reading, model)) or empty_matrix(model)

    def _file(self, reading: WorkspaceReading, model: EmbeddingModel) -> tuple[Path, MatrixStamp]:
        (identity,) = reading.connection.execute("SELECT identity FROM space").fetchone()
        path = self._database.with_suffix(f".{model.number}.vectors")
        return path, MatrixStamp(identity, model.number, model.dimensions)
