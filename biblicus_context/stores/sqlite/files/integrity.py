"""Checks the file of a workspace and the files derived from it; a check changes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.sqlite.files.connections import opened_to_look
from biblicus_context.stores.sqlite.files.database_errors import as_store_errors
from biblicus_context.stores.sqlite.files.folder import (
    Folder,
    require_intact,
    require_nothing_left,
    require_ours,
)
from biblicus_context.stores.sqlite.files.open_files import unless_open
from biblicus_context.stores.sqlite.files.seal import read_seal, seal_of
from biblicus_context.stores.sqlite.schema.packing import count_wrongly_packed
from biblicus_context.stores.sqlite.with_numpy import arrays
from biblicus_context.stores.sqlite.write import word_index

_SOUND_SPELLINGS: Final = "INSERT INTO spellings (spellings) VALUES ('integrity-check')"
# The tables have no foreign keys, which would cost every write a look-up: these are theirs.
_UNSOUND: Final = {
    "SELECT count(*) FROM blocks WHERE row NOT IN (SELECT block FROM texts)": "blocks without text",
    "SELECT count(*) FROM texts WHERE block NOT IN (SELECT row FROM blocks)": "texts of no block",
    "SELECT count(*) FROM blocks WHERE document NOT IN (SELECT row FROM documents)": (
        "blocks without a document"
    ),
    "SELECT count(*) FROM tags WHERE document NOT IN (SELECT row FROM documents)": (
        "tags of no document"
    ),
    "SELECT count(*) FROM readers WHERE document NOT IN (SELECT row FROM documents)": (
        "readers of no document"
    ),
    "SELECT count(*) FROM vectors WHERE row & 0xFFFFFFFFFF NOT IN (SELECT row FROM blocks)": (
        "embeddings without a block"
    ),
    "SELECT count(*) FROM vectors v LEFT JOIN models m ON m.number = v.row >> 40"
    " WHERE m.number IS NULL OR length(v.data) <> 4 * m.dimensions": (
        "embeddings of another length than their model's"
    ),
    "SELECT count(*) FROM blocks, space WHERE blocks.row > space.blocks": (
        "blocks with row numbers that were never assigned"
    ),
}
_FILED: Final = "its embeddings are not those of the database: delete this file, it is rebuilt"


def problems(path: Path) -> list[str]:
    """What is wrong, one sentence each, beginning with the file."""
    try:
        require_nothing_left(path)
        require_ours(path)
        unless_open(path, lambda: require_intact(path, thoroughly=True))
        with as_store_errors(str(path)), opened_to_look(path) as connection:
            found = [f"{path}: {each}" for each in _of_database(connection, path)]
            return found or [f"{file}: {_FILED}" for file in _strange_files(connection, path)]
    except StoreError as error:
        return [str(error)]


def _of_database(connection: sqlite3.Connection, path: Path) -> list[str]:
    found = [text for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
    if seal_of(path).exists() and read_seal(path) is None:
        found.append(f"its checksums in {seal_of(path).name} are damaged: delete that file")
    if found:
        return found
    found += _of_spellings(connection)
    for question, answer in _UNSOUND.items():
        (count,) = connection.execute(question).fetchone()
        found += [f"{count} {answer}"] if count else []
    wrong = count_wrongly_packed(connection)
    found += [f"{wrong} blocks whose packed columns differ from their rows"] if wrong else []
    found += word_index.problems(connection)
    (workspace,) = connection.execute("SELECT workspace FROM space").fetchone()
    if Folder(path.parent).database(workspace).name != path.name:
        found.append("the file of another workspace")
    return found


def _of_spellings(connection: sqlite3.Connection) -> list[str]:
    try:
        connection.execute(_SOUND_SPELLINGS)
    except sqlite3.DatabaseError as error:
        # SQLite counts this check of its index as a write. In a read-only place it is skipped.
        return [] if "readonly" in str(error) else [f"the index of spellings is damaged ({error})"]
    return []


def _strange_files(connection: sqlite3.Connection, path: Path) -> Iterator[Path]:
    """Files of embeddings next to the database that do not agree with it."""
    if find_spec("numpy") is None:  # they are not read without it either
        return
    numpy_too = arrays()
    (identity,) = connection.execute("SELECT identity FROM space").fetchone()
    for number, dimensions in connection.execute("SELECT number, dimensions FROM models"):
        file = path.with_suffix(f".{number}.vectors")
        stamp = numpy_too.MatrixStamp(identity, number, dimensions)
        if file.exists() and not numpy_too.agrees(file, stamp, connection):
            yield file
