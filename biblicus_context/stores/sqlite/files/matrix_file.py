"""A matrix in a file next to the database: derived from it, and never used without its stamp."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import numpy as np

from biblicus_context.stores.ranking.matrix import EmbeddingModel, Matrix, MatrixPart, unit
from biblicus_context.stores.sqlite.files.drafts import published
from biblicus_context.stores.sqlite.files.seal import is_intact, write_seal
from biblicus_context.stores.sqlite.schema.tables import MODEL_BITS

_FORMAT: Final = 1
_HEADER_BYTES: Final = 4096
_CHUNK: Final = 4096
_ROUNDING: Final = 1e-6
"""How far another processor may round a number in a row of length 1."""


class MatrixStamp(NamedTuple):
    """What a file must agree with to be used for a model's embeddings.

    Models are numbered in each database from 1. Without the identity, the file of a deleted index
    would be taken for that of the index that was rebuilt in its place.
    """

    identity: str
    model: int
    dimensions: int


def load(path: Path, stamp: MatrixStamp, *, thoroughly: bool = False) -> Matrix | None:
    """The matrix of a file, mapped into memory; None without a file, or if it cannot be trusted."""
    model = EmbeddingModel(stamp.model, stamp.dimensions)
    try:
        # Without its checksums it is not used either: it is derived, and can be written again.
        if not is_intact(path, thoroughly=thoroughly):
            return None
        with path.open("rb") as stream:
            header = json.loads(stream.read(_HEADER_BYTES))
            count = int(header["rows"])
            bytes_of_rows = 4 * count * stamp.dimensions
            stream.seek(_HEADER_BYTES + bytes_of_rows)
            blocks = np.frombuffer(stream.read(), dtype="<i8")
            if header["stamp"] != [_FORMAT, *stamp] or len(blocks) != count or not count:
                return None
            rows = np.memmap(
                stream, "<f4", "r", offset=_HEADER_BYTES, shape=(count, stamp.dimensions)
            )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # As a plain array: every slice of a memmap goes through Python code of numpy.
    part = MatrixPart(blocks.astype(np.int64), rows.view(np.ndarray))
    return Matrix(model, (part,), part.blocks, int(header["oldest"]), saved=count)


def parts(
    connection: sqlite3.Connection, model: EmbeddingModel, after: int
) -> Iterator[MatrixPart]:
    """The embeddings of blocks after a row, a few thousand at a time."""
    low = model.number << MODEL_BITS
    rows = connection.execute(
        "SELECT row - ?, data FROM vectors WHERE row > ? AND row < ? ORDER BY row",
        (low, low + after, low + (1 << MODEL_BITS)),
    )
    while chunk := rows.fetchmany(_CHUNK):
        blocks, data = zip(*chunk, strict=True)
        if {*map(len, data)} != {4 * model.dimensions}:
            raise sqlite3.DatabaseError("an embedding is malformed")
        yield MatrixPart(np.array(blocks, dtype=np.int64), unit(b"".join(data), model.dimensions))


def agrees(path: Path, stamp: MatrixStamp, connection: sqlite3.Connection) -> bool:
    """Whether a file contains the same as the database, up to the last block of the file."""
    matrix = load(path, stamp, thoroughly=True)
    if matrix is None:
        return False
    rows, last = matrix.parts[0].rows, matrix.blocks[-1]
    for part in parts(connection, matrix.model, 0):
        numbers = matrix.numbers(part.blocks)
        there = numbers >= 0
        same = np.allclose(rows[numbers[there]], part.rows[there], rtol=0.0, atol=_ROUNDING)
        if not same or not np.array_equal(there, part.blocks <= last):
            return False
    return True


def save(
    path: Path, stamp: MatrixStamp, parts: Iterable[MatrixPart], oldest: int, mode: int
) -> None:
    """Write a draft, then rename it, so that readers see all or nothing; errors are ignored.

    The file only saves time: without it, searches read the database.
    """
    with suppress(OSError):
        # The vectors tell of the texts: who may not read the database may not read them either.
        with published(path, mode) as stream:
            _write(stream, stamp, parts, oldest)
        with path.open("rb") as stream:
            write_seal(path, stream)


def _write(stream: BinaryIO, stamp: MatrixStamp, parts: Iterable[MatrixPart], oldest: int) -> None:
    blocks = [np.arange(0)]
    stream.seek(_HEADER_BYTES)
    for part in parts:
        stream.write(part.rows.astype("<f4").tobytes())
        blocks.append(part.blocks)
    listed = np.concatenate(blocks)
    stream.write(listed.astype("<i8").tobytes())
    stream.seek(0)
    header = {"stamp": [_FORMAT, *stamp], "rows": len(listed), "oldest": oldest}
    stream.write(json.dumps(header).encode().ljust(_HEADER_BYTES))
    stream.flush()
    os.fsync(stream.fileno())
