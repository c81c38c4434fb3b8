"""A file's bytes, read at one moment, and its text."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b

from biblicus_context.base.regular_files import IrregularFileError, open_regular
from biblicus_context.ingest.files.encoding import WIDE, encoding_of, is_in, marked
from biblicus_context.ingest.files.walking import FoundFile, SkippedFile

_SNIFFED = 8192
_ATTEMPTS = 3
_KEPT = "\t\n\v\f\r\x1b"
_CONTROL = bytes(code for code in (*range(0x20), 0x7F) if chr(code) not in _KEPT)
"""Bytes that are these characters in every encoding that is believed, but for the wide ones."""
_MOST_UNPRINTED = 0.1
_MOST_OF_WIDE = 0.05
"""Share of the first characters: with more, it is not text, or in an unknown encoding."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file held at one moment."""

    name: str
    data: bytes
    updated: datetime | None
    own_text: str | None = None
    """Its text without what is not to be read."""

    @property
    def digest(self) -> str:
        """Changes when the content does."""
        return blake2b(self.data, digest_size=16).hexdigest()

    @property
    def is_blank(self) -> bool:
        """Whether it is empty or only white space."""
        return not self.data or self.data.isspace()

    @property
    def looks_binary(self) -> bool:
        """Whether the beginning contains characters that text does not contain."""
        start, encoding = self.data[:_SNIFFED], self._encoding
        if marked(start) is None and b"\0" in start:
            return True
        text = start.decode(encoding, errors="replace")
        if encoding in WIDE:  # where nearly all pairs of bytes are some character
            unprinted = sum(not each.isprintable() and each not in _KEPT for each in text)
            return unprinted > 1 + _MOST_OF_WIDE * len(text)
        # Not of the text: to look up each character of one that is not ASCII takes a millisecond.
        unprinted = len(start) - len(start.translate(None, _CONTROL)) + text.count("\ufffd")
        return unprinted > 1 + _MOST_UNPRINTED * len(text)

    @property
    def is_printable(self) -> bool:
        """Whether the beginning would be text in a single-byte encoding such as Latin-1."""
        start = self.data[:_SNIFFED]
        return start.translate(None, _CONTROL) == start

    @property
    def is_sound(self) -> bool:
        """Whether all of it can be decoded."""
        return is_in(self._encoding, self.data)

    def text(self) -> str:
        """The content as text with `\\n` between lines; what cannot be decoded becomes U+FFFD."""
        if self.own_text is not None:
            return self.own_text
        text = self.data.decode(self._encoding, errors="replace")
        return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")

    @property
    def _encoding(self) -> str:
        return encoding_of(self.name, self.data)


def read(found: FoundFile, max_bytes: int) -> Content | SkippedFile:
    """A file's content; a file that changes while it is read is read again."""
    for _ in range(_ATTEMPTS):
        try:
            content = _read_once(found, max_bytes)
        except IrregularFileError as error:
            return SkippedFile(found.name, str(error))
        except OSError as error:
            return SkippedFile(found.name, f"cannot be read: {error.strerror}", for_now=True)
        if content is not None:
            return content
    return SkippedFile(found.name, "changed while it was read", for_now=True)


def _read_once(found: FoundFile, max_bytes: int) -> Content | SkippedFile | None:
    with open_regular(found.path) as stream:
        before = os.fstat(stream.fileno())
        data = stream.read(max_bytes + 1)
        after = os.fstat(stream.fileno())
    if len(data) > max_bytes:
        return SkippedFile(found.name, f"larger than {max_bytes:,} bytes")
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size):
        return None
    return Content(found.name, data, _moment(after.st_mtime))


def _moment(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):  # beyond the year 9999
        return None
