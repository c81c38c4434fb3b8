"""Fingerprints of files: they show whether a file has changed, and which documents an ingest wrote."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from biblicus_context.ingest.files.content import Content

_MARK: Final = "file-"


def fingerprint(content: Content, how: Sequence[object]) -> str:
    """A fingerprint of the content and of everything else that decides its blocks."""
    told = blake2b(repr(tuple(how)).encode(), digest_size=4).hexdigest()
    return f"{_of(content)}{told}"


def is_of(content: Content, said: str) -> bool:
    """Whether a fingerprint is of this content, however it was cut."""
    return said.startswith(_of(content))


def is_of_a_file(said: str) -> bool:
    """Whether a document came from a file, and was not written into the store by a program."""
    return said.startswith(_MARK)


def _of(content: Content) -> str:
    return f"{_MARK}{content.digest}-"
