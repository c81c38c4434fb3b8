"""Connections to the file of one workspace: created, opened to write, opened to read."""

from __future__ import annotations

import json
import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

from biblicus_context.base.globs import Globs
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.sqlite.files import folder as files
from biblicus_context.stores.sqlite.files.database_errors import as_store_errors
from biblicus_context.stores.sqlite.files.drafts import new_draft
from biblicus_context.stores.sqlite.files.open_files import Connection, opened, unless_open
from biblicus_context.stores.sqlite.files.seal import break_seal, write_seal
from biblicus_context.stores.sqlite.schema import tables as schema

WAIT_SECONDS: Final = 60.0
"""How long a process waits for another one that writes."""
_LOG_PAGES: Final = 4000
_LOG_BYTES: Final = 64 * 1024 * 1024
_CACHE_KIBIBYTES: Final = 4 * 1024
_CACHE_KIBIBYTES_TO_WRITE: Final = 128 * 1024


def create(path: Path, workspace: str) -> None:
    """Create the file of a workspace: a draft that gets its name when it is complete.

    So no process sees half of the tables, and of two processes that create it at once one wins.
    """
    with as_store_errors(str(path)):
        # SQLite gives its log the mode of the database.
        draft = new_draft(path.parent)
        try:
            _write_draft(draft, workspace)
            _publish(draft, path)
        finally:
            draft.unlink(missing_ok=True)


def _write_draft(draft: Path, workspace: str) -> None:
    with closing(connected(address(draft, "rwc"))) as connection:
        connection.execute(f"PRAGMA page_size = {schema.PAGE_SIZE}")
        connection.execute("PRAGMA synchronous = OFF")  # nobody reads a draft
        with transaction(connection):
            connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
            schema.migrate(connection)
            connection.execute(
                schema.NEW_SPACE,
                (workspace, uuid.uuid4().hex),
            )
        # WAL: readers see the last commit while a writer works. The mode is kept in the file.
        connection.execute("PRAGMA journal_mode = WAL")
    with draft.open("rb+") as stream:
        os.fsync(stream.fileno())


def _publish(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except (
        OSError
    ):  # a file system without hard links: the rename below may replace a winner's file
        if not path.exists():
            draft.rename(path)


def open_database(path: Path) -> sqlite3.Connection:
    """A connection that can write, to a file of ours, which is brought to the newest version."""
    files.require_ours(path)
    with as_store_errors(str(path)):
        connection = _connected_to(path, address(path, "rw"))
        try:
            _bring_up_to_date(connection, path)
            connection.execute("PRAGMA synchronous = FULL")
            # What a statement deletes is overwritten; without this it stays in the file, unused.
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
            connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIBIBYTES_TO_WRITE}")
        except BaseException:
            connection.close()
            raise
    return connection


def open_checked(path: Path, workspace: str) -> sqlite3.Connection:
    """The same, after checking that the file belongs to this workspace."""
    connection = open_database(path)
    try:
        with as_store_errors(str(path)):
            _require_workspace(connection, path, workspace)
    except BaseException:
        connection.close()
        raise
    return connection


def _require_workspace(connection: sqlite3.Connection, path: Path, workspace: str) -> None:
    (stored,) = connection.execute("SELECT workspace FROM space").fetchone()
    if stored != workspace:
        fix = "Rename the files back: each belongs to one workspace."
        raise StoreError("this is the file of another workspace", place=str(path), fix=fix)


def _bring_up_to_date(connection: sqlite3.Connection, path: Path) -> None:
    if _version(connection, path) < schema.VERSION:
        with transaction(connection):
            _version(connection, path)  # again: another process may have migrated it meanwhile
            break_seal(path)
            schema.migrate(connection)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > schema.VERSION:
        raise files.too_new(path, version)
    return int(version)


def open_briefly(path: Path) -> sqlite3.Connection:
    """One more connection that can write to a file that was checked."""
    return _connected_to(path, address(path, "rw"))


def open_to_read(path: Path) -> sqlite3.Connection:
    """One more connection to a file that was checked; it cannot write.

    The mode is `rw` all the same: in WAL mode a reader writes its mark into the shared memory file.
    """
    connection = _connected_to(path, address(path, "rw"))
    connection.execute("PRAGMA query_only = 1")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}")
    return connection


def open_unwritable(path: Path, workspace: str) -> sqlite3.Connection:
    """A connection to a file in a place where nobody can write, such as a read-only image."""
    files.require_ours(path)
    connection = _connected_to(path, _unwritable(path))
    try:
        if _version(connection, path) < schema.VERSION:
            problem = "written by an older release, and it cannot be upgraded in a read-only place"
            fix = "Open it once where it can be written."
            raise StoreError(problem, place=str(path), fix=fix)
        _require_workspace(connection, path, workspace)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def opened_to_look(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for a check, which must not upgrade the file: an older one is copied to memory."""
    files.require_ours(path)
    place = address(path, "rw") if files.is_writable(path) else _unwritable(path)
    with closing(_connected_to(path, place)) as connection:
        if _version(connection, path) == schema.VERSION:
            yield connection
            return
        with closing(connected("")) as copy:
            connection.backup(copy)
            with transaction(copy):
                schema.migrate(copy)
            yield copy


def seal_database(path: Path) -> None:
    """Seal a database that this process wrote to and has closed; not while others use it."""
    with suppress(sqlite3.Error, OSError):
        unless_open(path, lambda: _seal(path))


def _seal(path: Path) -> None:
    with ExitStack() as closed_last:
        # The stream is closed after the connection: to close it drops the locks of the process on
        # the file, those of the connection as well (see open_files.py).
        stream = closed_last.enter_context(path.open("rb"))
        with closing(connected(address(path, "rw"))) as connection:
            connection.execute("PRAGMA busy_timeout = 0")
            (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if is_busy:
                return
            with transaction(connection):  # until it ends nobody can write
                if not files.log_bytes(path):
                    write_seal(path, stream)


def address(path: Path, mode: str) -> str:
    """A file as a URI of SQLite, whose mode says whether it may be created."""
    return f"{path.absolute().as_uri()}?mode={mode}"


def _unwritable(path: Path) -> str:
    """The URI of a file that nobody can change: `immutable` lets SQLite skip locks and log.

    With pages left in the log that would silently show an older state, so it is refused.
    """
    if files.log_bytes(path):
        problem = (
            "its last writer did not close it, and its log cannot be applied in a read-only place"
        )
        fix = "Open it once where it can be written."
        raise StoreError(problem, place=str(path), fix=fix)
    return f"{address(path, 'ro')}&immutable=1"


def _connected_to(path: Path, address: str) -> sqlite3.Connection:
    return opened(path, lambda: connected(address))


def connected(address: str) -> sqlite3.Connection:
    """A connection in autocommit mode: `transaction` begins and ends transactions."""
    connection = sqlite3.connect(
        address,
        uri=True,
        timeout=WAIT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
    )
    connection.create_function("path_matches", 2, _path_matches, deterministic=True)
    return connection


def _path_matches(path: str | None, patterns: str) -> bool:
    return path is not None and _globs(patterns).match(path)


@lru_cache(maxsize=64)
def _globs(patterns: str) -> Globs:
    return Globs(json.loads(patterns))


@contextmanager
def transaction(
    connection: sqlite3.Connection, mode: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE"
) -> Iterator[None]:
    """All statements inside take effect, or none."""
    connection.execute(f"BEGIN {mode}")
    try:
        yield
    except BaseException:
        if (
            connection.in_transaction
        ):  # SQLite rolls back on its own, for example if the disk is full
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
