"""The short columns of every block, packed a second time in the database, batch by batch.

A search needs them for all blocks at once. Packed numbers load a hundred times faster than the rows
that they repeat. `check` compares the two.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from itertools import chain
from typing import Final

from biblicus_context.stores.source import WIDTH

_AT_ONCE: Final = 8192
_BYTES: Final = 8
_FEW: Final = 1024
_BLOCKS: Final = (
    "SELECT row, document, words, position, tokens, min(row) OVER (PARTITION BY document, session),"
    # NOT INDEXED: else SQLite reads all blocks in the order of an index, with each write.
    " session IS NOT NULL FROM blocks NOT INDEXED WHERE row > ? ORDER BY row"
)


def pack(connection: sqlite3.Connection) -> None:
    """Pack the blocks that were written since the last time."""
    (last,) = connection.execute("SELECT coalesce(max(last), 0) FROM columns").fetchone()
    rows = connection.execute(_BLOCKS, (last,))
    for some in iter(lambda: rows.fetchmany(_AT_ONCE), []):
        data = struct.pack(f"<{WIDTH * len(some)}q", *chain.from_iterable(some))
        connection.execute("INSERT INTO columns VALUES (?, ?)", (some[-1][0], data))


def repack(connection: sqlite3.Connection) -> None:
    """Pack all blocks that are left."""
    connection.execute("DELETE FROM columns")
    pack(connection)
    connection.execute("UPDATE space SET repacked = version")


def repack_if_sparse(connection: sqlite3.Connection) -> None:
    """Pack again once most of what is packed is gone: so all packing costs O(n) in total."""
    (packed,) = connection.execute("SELECT coalesce(sum(length(data)), 0) FROM columns").fetchone()
    (blocks,) = connection.execute("SELECT count(*) FROM blocks").fetchone()
    if packed > WIDTH * _BYTES * (2 * blocks + _FEW):
        repack(connection)


def packs(connection: sqlite3.Connection, last: int) -> Iterator[bytes]:
    """The packs with blocks after this row; the first may begin with blocks before it."""
    for (data,) in connection.execute(
        "SELECT data FROM columns WHERE last > ? ORDER BY last", (last,)
    ):
        if not data or len(data) % (WIDTH * _BYTES):
            raise sqlite3.DatabaseError("a pack of blocks is malformed")
        yield data


def count_wrongly_packed(connection: sqlite3.Connection) -> int:
    """How many blocks are packed with other numbers than in their table, or not at all."""
    packed = unpacked(connection)
    wrong, known = 0, next(packed, None)
    for block in connection.execute(_BLOCKS, (0,)):
        while known is not None and known[0] < block[0]:
            known = next(packed, None)
        wrong += known != block
    return wrong


def unpacked(connection: sqlite3.Connection) -> Iterator[tuple[int, ...]]:
    """The numbers of every block, as far as its pack is whole."""
    for (data,) in connection.execute("SELECT data FROM columns ORDER BY last"):
        whole = len(data) - len(data) % (WIDTH * _BYTES)
        yield from struct.iter_unpack(f"<{WIDTH}q", data[:whole])
