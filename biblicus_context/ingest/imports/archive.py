"""The files of a zip archive, read within bounds: an archive is written by anybody."""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO, Final
from zipfile import BadZipFile, ZipFile, ZipInfo
from zlib import error as CompressionError  # noqa: N812 - `error` alone would say nothing

from biblicus_context.base.paths import resolved
from biblicus_context.base.regular_files import IrregularFileError, open_regular
from biblicus_context.errors import InputError
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.files.walking import SkippedFile

_LONGEST_NAME: Final = 900
_LARGEST_LISTS: Final = 16 * 1024 * 1024
"""Bytes of the lists of members, those of inner archives included: zipfile reads a list whole."""
_MOST_MEMBERS: Final = 200_000
"""Members in all these lists: zipfile makes an object of half a kilobyte of each."""
_TOO_MANY: Final = "the archive lists too many files"
_ENCRYPTED: Final = 0x1
_UNREADABLE: Final = (
    *(BadZipFile, CompressionError, NotImplementedError, RuntimeError),
    *(EOFError, OSError, ValueError, struct.error),
)


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What an archive may hold at most, in bytes when unpacked."""

    member: int = 20 * 1024 * 1024
    total: int = 2 * 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """A member whose name leads nowhere else."""

    name: str
    """With `/` between folders."""
    archive: ZipFile
    member: ZipInfo
    size: int


class Archive:
    """An open archive; archives inside it (parts of a large export) count as its folders.

    Nothing is written to the disk under a name of the archive, and no more is unpacked than the
    limits say, whatever the archive declares.
    """

    def __init__(self, path: Path, limits: ArchiveLimits | None = None) -> None:
        self._limits = limits or ArchiveLimits()
        self._left = self._limits.total
        self._left_to_list = _LARGEST_LISTS
        self._members = 0
        self._stack = ExitStack()
        self.files: list[ArchiveFile] = []
        self.skipped: list[SkippedFile] = []
        try:
            stream = self._stack.enter_context(open_regular(resolved(path)))
            self._list(self._opened(stream, str(path)), inner=False)
        except (IrregularFileError, OSError) as error:
            self.close()
            raise InputError("this archive cannot be read", found=str(path)) from error
        except BaseException:
            self.close()
            raise
        self.files.sort(key=lambda each: each.name)

    def read(self, file: ArchiveFile) -> Content | SkippedFile:
        """The content of a member; no more is unpacked than its limit and what is left of the total."""
        most = min(self._limits.member, self._left)
        try:
            with file.archive.open(file.member) as stream:
                data = stream.read(most + 1)
        except _UNREADABLE:
            return SkippedFile(file.name, "damaged, encrypted, or compressed in an unknown way")
        self._left -= min(len(data), most)
        if len(data) > most:
            return SkippedFile(file.name, self._too_large(most))
        return Content(file.name, data, _moment(file.member))

    def close(self) -> None:
        """Close the archive and those inside it."""
        self._stack.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _too_large(self, most: int) -> str:
        if most < self._limits.member:
            return f"the archive has more than {self._limits.total:,} bytes"
        return f"larger than {most:,} bytes"

    def _opened(self, stream: IO[bytes], name: str) -> ZipFile:
        try:
            size = _directory_size(stream)
            # An entry has 46 bytes at least, so the size bounds what is read before it is counted.
            # What is refused counts as well: it was read.
            self._left_to_list -= size
            archive = ZipFile(stream) if self._left_to_list >= 0 else None
        except _UNREADABLE:
            fix = "Pass the zip file of an export, or the folder that it was unpacked to."
            raise InputError("not a zip archive", found=name, fix=fix) from None
        if archive is not None and self._members + len(archive.filelist) > _MOST_MEMBERS:
            archive.close()
            archive = None
        if archive is None:
            raise InputError(_TOO_MANY, found=name)
        self._members += len(archive.filelist)
        return self._stack.enter_context(archive)

    def _list(self, archive: ZipFile, *, inner: bool) -> None:
        known = {each.name for each in self.files}
        for member in archive.infolist():
            name = member.filename
            if name.endswith("/"):  # a folder
                continue
            reason = _reason_against(member, known)
            if reason:
                self.skipped.append(SkippedFile(ascii(name)[1:-1], reason))
            elif name.lower().endswith(".zip") and not inner:
                self._list_inner(archive, member)
            else:
                known.add(name)
                self.files.append(ArchiveFile(name, archive, member, member.file_size))

    def _list_inner(self, archive: ZipFile, member: ZipInfo) -> None:
        copy = TemporaryFile()  # noqa: SIM115 - it is closed with the archive
        self._stack.enter_context(copy)
        try:
            with archive.open(member) as stream:
                for part in _parts(stream, self._left):
                    self._left -= len(part)
                    copy.write(part)
            if not self._left:
                self.skipped.append(SkippedFile(member.filename, self._too_large(0)))
                return
            self._list(self._opened(copy, member.filename), inner=True)
        except (*_UNREADABLE, InputError) as error:
            is_long = isinstance(error, InputError) and error.problem == _TOO_MANY
            reason = _TOO_MANY if is_long else "not an archive that can be read"
            self.skipped.append(SkippedFile(member.filename, reason))


def _parts(stream: IO[bytes], most: int) -> Iterator[bytes]:
    while most and (part := stream.read(min(most, 1024 * 1024))):
        most -= len(part)
        yield part


def _reason_against(member: ZipInfo, known: set[str]) -> str:
    name = member.filename
    path = PurePosixPath(name)
    if not path.parts:
        return "it has no name"
    if "\\" in name or path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        return "its name leads out of the archive"
    if len(name) > _LONGEST_NAME:
        return f"its path is longer than {_LONGEST_NAME} characters"
    if not name.isprintable():
        return "its name has control characters"
    if name in known:
        return "another file has the same name"
    is_link = stat.S_ISLNK(member.external_attr >> 16)
    return "encrypted" if member.flag_bits & _ENCRYPTED else "a link" if is_link else ""


def _moment(member: ZipInfo) -> datetime | None:
    try:
        return datetime(*member.date_time, tzinfo=UTC)
    except ValueError:
        return None


_END: Final = b"PK\5\6"
_END_SIZE: Final = 22
_LARGE_LOCATOR: Final = struct.Struct("<4sIQI")
_LARGE_END: Final = struct.Struct("<4sQ2H2I4Q")
_NOT_HERE: Final = 0xFFFFFFFF


def _directory_size(stream: IO[bytes]) -> int:
    """The bytes of the list of members, as the end of the archive declares them."""
    end = stream.seek(0, os.SEEK_END)
    start = max(0, end - _END_SIZE - 0xFFFF)
    stream.seek(start)
    tail = stream.read()
    at = tail.rfind(_END)
    if at < 0:
        raise BadZipFile
    (size,) = struct.unpack_from("<I", tail, at + 12)
    if size == _NOT_HERE and start + at >= _LARGE_LOCATOR.size:
        stream.seek(start + at - _LARGE_LOCATOR.size)
        _, _, where, _ = _LARGE_LOCATOR.unpack(stream.read(_LARGE_LOCATOR.size))
        stream.seek(where)
        size = _LARGE_END.unpack(stream.read(_LARGE_END.size))[8]
    stream.seek(0)
    return int(size)
