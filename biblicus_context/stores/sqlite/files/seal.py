"""Checksums of a whole file, next to it: a file that was changed by anything but a store is not used.

SQLite finds damage to its structure, but not a text or a number that turned into another one. So a
process that wrote seals the file when it closes it, and whoever opens the file next compares.
Only then: a file whose size, times and inode are those of the sealed one is not read again.
A write breaks the seal before it commits, so no seal outlives what it describes. After a writer was
killed there is none until the next one closes.
"""

from __future__ import annotations

import json
import os
import stat
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from biblicus_context.stores.sqlite.files.drafts import published

SUFFIX: Final = ".seal"
_CHUNK: Final = 1024 * 1024
_SETTLED: Final = 20_000_000
"""Nanoseconds: the clock of a file system may show a change within them as no change."""


class Seal(NamedTuple):
    """The checksum of each mebibyte of a file, and how the file looked from outside."""

    size: int
    stamp: tuple[int, int, int] | None
    """Times and inode; None if the file was sealed so soon that they prove nothing."""
    checksums: tuple[int, ...]


def seal_of(path: Path) -> Path:
    """The file with the checksums of this file."""
    return path.with_name(f"{path.name}{SUFFIX}")


def write_seal(path: Path, stream: BinaryIO) -> None:
    """Seal a file that nobody changes meanwhile, read through an open stream of it."""
    checksums = tuple(_checksums(stream))
    status = os.fstat(stream.fileno())
    settled = time.time_ns() - status.st_ctime_ns > _SETTLED
    said = json.dumps(Seal(status.st_size, _stamp(status) if settled else None, checksums))
    with published(seal_of(path), status.st_mode) as draft:
        draft.write(f"{zlib.crc32(said.encode())}\n{said}\n".encode())


def read_seal(path: Path) -> Seal | None:
    """The seal of a file; None if it has none that can be read."""
    try:
        checksum, said, end = seal_of(path).read_text(encoding="ascii").split("\n")
        size, stamp, checksums = json.loads(said)
        if end or int(checksum) != zlib.crc32(said.encode()):
            return None
        return Seal(int(size), None if stamp is None else tuple(stamp), tuple(checksums))
    except (OSError, ValueError, TypeError):
        return None


def break_seal(path: Path) -> None:
    """Remove the seal before a change; on disk as well, so that a power cut cannot bring it back."""
    try:
        seal_of(path).unlink()
    except FileNotFoundError:
        return
    with suppress(OSError):  # a system whose folders cannot be opened
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def is_intact(path: Path, *, thoroughly: bool = False) -> bool | None:
    """Whether a file is the one that was sealed; None if it has no seal.

    Thoroughly: by its content, even where it looks the same from outside.
    """
    while (seal := read_seal(path)) is not None:
        if _agrees(path, seal, thoroughly=thoroughly):
            return True
        if seal == read_seal(path):  # else another process writes, and broke the seal meanwhile
            return False
    return None


def _agrees(path: Path, seal: Seal, *, thoroughly: bool) -> bool:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) or status.st_size != seal.size:
        return False
    if seal.stamp == _stamp(status) and not thoroughly:
        return True
    with path.open("rb") as stream:
        return tuple(_checksums(stream)) == seal.checksums


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _checksums(stream: BinaryIO) -> list[int]:
    stream.seek(0)
    return [zlib.crc32(data) for data in iter(lambda: stream.read(_CHUNK), b"")]
