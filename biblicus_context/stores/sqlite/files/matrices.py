"""The embeddings of a workspace: from their table, and from files next to it that are mapped into memory."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from biblicus_context.stores.ranking.matrix import EmbeddingModel, Matrix, empty_matrix
from biblicus_context.stores.source import ReadState
from biblicus_context.stores.sqlite.files import matrix_file
from biblicus_context.stores.sqlite.files.matrix_file import MatrixStamp
from biblicus_context.stores.sqlite.schema.tables import MODEL_BITS

_LEAST_SAVED: Final = 4096
"""Fewer embeddings are read from the database faster than a file is written."""


class Matrices:
    """Loads and saves the matrices of one database; the file of one is used by all processes."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._can_save = True

    def extended(
        self, connection: sqlite3.Connection, pin: ReadState, name: str, known: Matrix | None
    ) -> Matrix | None:
        """All embeddings of a model that a read may need; None if it has none."""
        row = connection.execute(
            "SELECT number, dimensions FROM models WHERE name = ?", (name,)
        ).fetchone()
        if row is None:
            return None
        model = EmbeddingModel(*row)
        matrix = known or self._loaded(connection, model)
        if not pin.is_served_from(matrix.oldest):
            matrix = empty_matrix(model)
            return matrix.extended([*matrix_file.parts(connection, model, 0)], pin)
        # A large matrix goes from rows to a file that is mapped, and is never whole in memory.
        if not matrix.parts and _has_rows(connection, model, _LEAST_SAVED):
            matrix = self._saved(connection, matrix)
        matrix = matrix.extended([*matrix_file.parts(connection, model, matrix.last)], pin)
        # Rewritten each time it has grown by a quarter: so all rewriting costs O(n) in total.
        if len(matrix.blocks) - matrix.saved < max(_LEAST_SAVED, len(matrix.blocks) // 4):
            return matrix
        return self._saved(connection, matrix)

    def save(self, connection: sqlite3.Connection, pin: ReadState) -> None:
        """Write the matrix of every model next to the database, unless a file has all of it."""
        for (name,) in connection.execute("SELECT name FROM models").fetchall():
            matrix = self.extended(connection, pin, name, None)
            if matrix is not None and len(matrix.blocks) > matrix.saved:
                self._saved(connection, matrix)

    def _saved(self, connection: sqlite3.Connection, matrix: Matrix) -> Matrix:
        if not self._can_save:
            return matrix
        path, stamp = self._file(connection, matrix.model)
        everything = matrix_file.parts(connection, matrix.model, 0)
        (oldest,) = connection.execute("SELECT oldest FROM space").fetchone()
        with suppress(OSError):
            mode = self._database.stat().st_mode
            matrix_file.save(path, stamp, everything, oldest, mode)
        loaded = matrix_file.load(path, stamp)
        # No disk space or no rights: search without a file, and do not try at each search again.
        self._can_save = loaded is not None
        return loaded or matrix

    def _loaded(self, connection: sqlite3.Connection, model: EmbeddingModel) -> Matrix:
        return matrix_file.load(*self._file(connection, model)) or empty_matrix(model)

    def _file(
        self, connection: sqlite3.Connection, model: EmbeddingModel
    ) -> tuple[Path, MatrixStamp]:
        (identity,) = connection.execute("SELECT identity FROM space").fetchone()
        path = self._database.with_suffix(f".{model.number}.vectors")
        return path, MatrixStamp(identity, model.number, model.dimensions)


def _has_rows(connection: sqlite3.Connection, model: EmbeddingModel, wanted: int) -> bool:
    """Whether a model has at least this many embeddings."""
    low = model.number << MODEL_BITS
    (found,) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM vectors WHERE row > ? AND row < ? LIMIT ?)",
        (low, low + (1 << MODEL_BITS), wanted),
    ).fetchone()
    return bool(found == wanted)
