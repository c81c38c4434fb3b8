"""The folder of a store, and the file of each workspace in it."""

from __future__ import annotations

import os
import re
import struct
from dataclasses import dataclass
from errno import ELOOP
from hashlib import sha256
from pathlib import Path
from stat import S_ISDIR
from typing import Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.marker import MARKER
from biblicus_context.stores.sqlite.files.database_errors import (
    REBUILD,
    as_store_errors,
    store_error,
)
from biblicus_context.stores.sqlite.files.drafts import PRIVATE, sweep
from biblicus_context.stores.sqlite.files.open_files import unless_open
from biblicus_context.stores.sqlite.files.seal import SUFFIX as SEAL, is_intact, seal_of
from biblicus_context.stores.sqlite.schema import tables as schema

_MARK: Final = "A store of biblicus_context: one database for each workspace.\n"
_MAGIC: Final = b"SQLite format 3\x00"
_HEADER_BYTES: Final = 100
_NOT_SPELT: Final = re.compile(r"[^a-z0-9]+")
_PRIVATE_FOLDER: Final = 0o700
_ELSEWHERE: Final = "Name another folder for the store."


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder that a store has to itself."""

    path: Path

    def database(self, workspace: str) -> Path:
        """The file of a workspace.

        The readable part of its name is for people. The hash keeps apart workspaces whose names differ
        only in case or in characters that a file name cannot contain.
        """
        readable = _NOT_SPELT.sub("-", workspace.lower())[:40].strip("-")
        return self.path / f"{readable}.{sha256(workspace.encode()).hexdigest()[:32]}.db"

    @property
    def databases(self) -> list[Path]:
        """The files of all workspaces."""
        return sorted(self.path.glob("*.db"))

    @property
    def missing(self) -> list[Path]:
        """Databases that are gone without the files that were made of them."""
        sealed = (
            each.with_name(each.name.removesuffix(SEAL)) for each in self.path.glob(f"*.db{SEAL}")
        )
        return sorted(path for path in sealed if not path.exists())


@door
def is_folder(path: Path) -> bool:
    """Whether a folder is there; a StoreError where nobody may look."""
    try:  # each search asks it: a context manager and pathlib take longer than the answer
        return S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # such a name is of no folder
        return False
    except OSError as error:
        if error.errno == ELOOP:
            return False
        raise store_error(str(path), error) from error


@door
def has_content(path: Path) -> bool:
    """Whether a folder is there, with something in it; a StoreError where nobody may look."""
    with as_store_errors(str(path)):
        return path.is_dir() and any(path.iterdir())


def existing_folder(path: Path) -> Folder:
    """The folder of an existing store; anything else is refused and not touched."""
    with as_store_errors(str(path)):
        if not path.is_dir():
            is_file = path.exists()
            problem = "a store is a folder, but this is a file" if is_file else "no store is here"
            raise StoreError(problem, place=str(path), fix=_ELSEWHERE)
        if not (path / MARKER).is_file():
            raise StoreError("this folder is not a store", place=str(path), fix=_ELSEWHERE)
    return Folder(path)


def folder(path: Path) -> Folder:
    """The folder of a store, created if nothing is there."""
    with as_store_errors(str(path)):
        is_used = os.path.lexists(path) and (not path.is_dir() or any(path.iterdir()))
    if is_used:
        found = existing_folder(path)
        sweep(path)
        return found
    with as_store_errors(str(path)):
        path.mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        marker = path / MARKER
        marker.touch(PRIVATE)
        marker.write_text(_MARK, encoding="utf-8")
    return Folder(path)


class Header(NamedTuple):
    """What the first bytes of a database say, read without opening it."""

    application: int
    version: int


def is_writable(path: Path) -> bool:
    """Whether a file can be written, and SQLite can create its log next to it."""
    ours = os.access in os.supports_effective_ids
    return all(os.access(each, os.W_OK, effective_ids=ours) for each in (path, path.parent))


def require_ours(path: Path) -> None:
    """Refuse a file that is not a workspace's database of a known version, before SQLite opens it.

    To open a foreign database may already change it: SQLite recovers its log, or creates files.
    """
    header = unless_open(path, lambda: _header(path))
    if header is None:  # open already, and checked when it was opened
        return
    if header.application != schema.APPLICATION_ID:
        raise StoreError("a database of another program", place=str(path), fix=_ELSEWHERE)
    if header.version > schema.VERSION:
        raise too_new(path, header.version)
    unless_open(path, lambda: require_intact(path))


def require_intact(path: Path, *, thoroughly: bool = False) -> None:
    """Refuse a file whose content is not what a store wrote last."""
    with as_store_errors(str(path)):
        if is_intact(path, thoroughly=thoroughly) is False:
            problem = f"the file is damaged (its content differs from its checksums in {seal_of(path).name})"
            raise StoreError(problem, place=str(path), fix=REBUILD)


def require_nothing_left(path: Path) -> None:
    """Refuse a workspace whose database is gone, but not what was derived from it: it is not empty."""
    if seal_of(path).exists() and not path.exists():
        problem = "the database is gone, and only its checksums are left"
        raise StoreError(problem, place=str(path), fix="Bring it back, or ingest again.")


def is_anothers(path: Path) -> bool:
    """Whether a file is a database of another program or of a later release; a damaged file is not."""
    try:
        header = unless_open(path, lambda: _header(path))
    except StoreError:
        return False
    if header is None:
        return False
    return header.application != schema.APPLICATION_ID or header.version > schema.VERSION


def too_new(path: Path, version: int) -> StoreError:
    """The error for a file written by a later release."""
    return StoreError(
        f"written by a newer release, with version {version} of the tables; "
        f"this release knows versions up to {schema.VERSION}",
        place=str(path),
        fix="Update biblicus_context.",
    )


def _header(path: Path) -> Header:
    try:
        _require_regular(path)
        with path.open("rb") as stream:
            data = stream.read(_HEADER_BYTES)
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        raise StoreError(problem, place=str(path), fix=_ELSEWHERE) from None
    if not data:
        raise StoreError("the file is empty", place=str(path), fix=REBUILD)
    if len(data) < _HEADER_BYTES or not data.startswith(_MAGIC):
        raise StoreError("this is not a database", place=str(path), fix=_ELSEWHERE)
    page = int.from_bytes(data[16:18]) or 65_536
    pages, version, application = struct.unpack(">28xI28xI4xI28x", data)
    # While pages wait in the log, the header may promise more pages than the file has.
    if size < page * pages and not log_bytes(path):
        raise StoreError("the file is cut short", place=str(path), fix=REBUILD)
    return Header(application, version)


def _require_regular(path: Path) -> None:
    """Refuse a folder, a pipe or a device at the path of a database, or of a file SQLite keeps with it."""
    for ending in ("", "-wal", "-shm", "-journal", SEAL):
        beside = path.with_name(f"{path.name}{ending}")
        if beside.exists() and not beside.is_file():
            problem = "this is not a regular file, so it is not opened"
            raise StoreError(problem, place=str(beside), fix="Move it away.")


def marker_problems(path: Path) -> list[str]:
    """What is wrong with the file that marks a folder as a store."""
    if (path / MARKER).read_bytes() == _MARK.encode():
        return []
    return [
        f"{path / MARKER}: the file is damaged: write {_MARK.strip()!r} and a line break into it"
    ]


def log_bytes(path: Path) -> int:
    """How many bytes are in the log, and so not in the file itself yet."""
    log = path.with_name(f"{path.name}-wal")
    return log.stat().st_size if log.exists() else 0
