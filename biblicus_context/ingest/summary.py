"""What an ingest did, with every file accounted for exactly once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from biblicus_context.ingest.files.walking import Skipped


class Progress(NamedTuple):
    """How far an ingest has come."""

    files: int
    all_files: int
    bytes: int
    all_bytes: int
    seconds: float
    current: str

    @property
    def bytes_per_second(self) -> float:
        return self.bytes / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """By the rate so far; None before there is one."""
        rate = self.bytes_per_second
        return (self.all_bytes - self.bytes) / rate if rate else None


class FileRemark(NamedTuple):
    """Something about a file that was read, though not quite as it was meant."""

    name: str
    note: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The names of files by what became of them, and what they came to."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: int = 0
    removed: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    remarks: tuple[FileRemark, ...] = ()
    blocks: int = 0
    tokens: int = 0
    bytes: int = 0
    """Read of added and changed files."""
    embedded: int = 0
    """Texts that had to be embedded."""
    known: int = 0
    """Blocks whose vectors were known: of an earlier ingest, or of a block with the same text."""
    seconds: float = 0.0
    version: int = 0

    @property
    def hit_rate(self) -> float | None:
        """The part of blocks whose vectors were known; None where nothing had to have one."""
        blocks = self.embedded + self.known
        return self.known / blocks if blocks else None

    @property
    def megabytes_per_second(self) -> float:
        return self.bytes / 1e6 / self.seconds if self.seconds else 0.0
