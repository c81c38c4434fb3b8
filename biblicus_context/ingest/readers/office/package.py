"""The parts of an office file: XML in a zip archive, which anybody may have written."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from datetime import datetime
from io import BytesIO
from pathlib import PurePosixPath
from posixpath import normpath
from typing import IO, Final, NamedTuple
from zipfile import BadZipFile, ZipFile
from zlib import error as CompressionError  # noqa: N812 - `error` alone would say nothing

from biblicus_context.base.timestamps import moment
from biblicus_context.ingest.chunks.section import UnreadableError
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.xml_nodes import XmlNode, xml_nodes

_MOST: Final = 128 * 1024 * 1024
"""Bytes of all parts of a file that are unpacked; a bomb of 20 MB could hold 20 GB."""
_MOST_TEXT: Final = 20_000_000
"""Characters of text that one file may hold."""
_MOST_PARTS: Final = 50_000
_AT_ONCE: Final = 64 * 1024
_OLD: Final = b"\xd0\xcf\x11\xe0"
"""How encrypted files begin, and those of Office 2003 and earlier."""
_UNREADABLE: Final = (
    *(BadZipFile, CompressionError, NotImplementedError, RuntimeError),
    *(EOFError, OSError, ValueError, struct.error),
)
_DAMAGED: Final = "it is damaged: a part of it cannot be unpacked"
_RELATIONS: Final = "_rels/{}.rels"


class PackageProperties(NamedTuple):
    """What a file says about itself."""

    title: str
    created: datetime | None
    updated: datetime | None
    tags: tuple[str, ...]
    metadata: Mapping[str, str]


class OfficePackage:
    """An open file; no more is unpacked than its limits say, whatever it declares."""

    def __init__(self, content: Content) -> None:
        if content.data.startswith(_OLD):
            raise UnreadableError(
                "it is encrypted, or in the format of Office 2003",
                fix="Save it without a password.",
            )
        try:
            self._archive = ZipFile(BytesIO(content.data))
            self._parts = {each.filename: each for each in self._archive.infolist()}
        except _UNREADABLE:
            raise UnreadableError("it is damaged: it is not a zip archive") from None
        if len(self._archive.filelist) > _MOST_PARTS:
            raise UnreadableError(f"it has more than {_MOST_PARTS:,} parts")
        self._left = _MOST
        self._text_left = _MOST_TEXT

    def has(self, part: str) -> bool:
        """Whether there is a part of this name."""
        return part in self._parts

    def count(self, text: str) -> str:
        """The text, counted against what one file may hold."""
        self._text_left -= len(text)
        if self._text_left < 0:
            raise UnreadableError(f"it has more than {_MOST_TEXT:,} characters of text")
        return text

    def nodes(self, part: str) -> Iterator[XmlNode]:
        """The tags and texts of a part in order; nothing where there is no such part.

        Nothing is kept of what was read, so a part takes no more memory than its deepest element.
        """
        if part not in self._parts:
            return
        try:
            with self._archive.open(self._parts[part]) as stream:
                yield from xml_nodes(self._unpacked(stream))
        except UnreadableError:
            raise
        except _UNREADABLE:
            raise UnreadableError(_DAMAGED) from None

    def _unpacked(self, stream: IO[bytes]) -> Iterator[bytes]:
        while data := stream.read(_AT_ONCE):
            self._left -= len(data)
            if self._left < 0:
                raise UnreadableError(f"it unpacks to more than {_MOST:,} bytes")
            yield data

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """The parts that a part refers to: the type and the name of each, by its id."""
        folder, name = str(PurePosixPath(part).parent), PurePosixPath(part).name
        found = {}
        for node in self.nodes(normpath(f"{folder}/{_RELATIONS.format(name)}")):
            given = node.attributes
            if node.kind == "start" and node.value == "Relationship" and "Id" in given:
                kind = given.get("Type", "").rpartition("/")[2]
                target = given.get("Target", "")
                if given.get("TargetMode") != "External":
                    base = "" if target.startswith("/") else folder
                    target = normpath(f"{base}/{target.lstrip('/')}").lstrip("/")
                found[given["Id"]] = kind, target
        return found

    def properties(self) -> PackageProperties:
        """The title, dates and keywords of `docProps/core.xml`."""
        said: dict[str, str] = {}
        name = ""
        for node in self.nodes("docProps/core.xml"):
            if node.kind == "text" and name:
                said[name] = said.get(name, "") + node.value
            else:
                name = node.value if node.kind == "start" else ""
        words = {key: value.strip() for key, value in said.items() if value.strip()}
        tags = words.get("keywords", "").replace(";", ",").split(",")
        kept = {"creator": "author", "subject": "subject", "lastModifiedBy": "last_modified_by"}
        return PackageProperties(
            words.get("title", ""),
            moment(words.get("created")),
            moment(words.get("modified")),
            tuple(tag.strip() for tag in tags if tag.strip()),
            {name: words[key] for key, name in kept.items() if key in words},
        )
