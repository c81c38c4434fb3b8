"""The result of an ingest, with every file in it exactly once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from biblicus_context.ingest.files.walking import SkippedFile


class Progress(NamedTuple):
    """The progress of an ingest: files are read first; then what waits for a slow embedder is embedded,
    which takes longer. What is counted of the second task is blocks, as files and as bytes."""

    files: int
    all_files: int
    bytes: int
    all_bytes: int
    seconds: float
    """Since the task began."""
    current: str
    task: Literal["reading", "embedding"] = "reading"

    @property
    def bytes_per_second(self) -> float:
        return self.bytes / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """By the rate so far; None before there is one."""
        rate = self.bytes_per_second
        return (self.all_bytes - self.bytes) / rate if rate else None


class FileRemark(NamedTuple):
    """A remark on a file that was read, but not entirely as intended."""

    name: str
    note: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The names of files by outcome, and their totals."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: int = 0
    removed: tuple[str, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    remarks: tuple[FileRemark, ...] = ()
    blocks: int = 0
    tokens: int = 0
    bytes: int = 0
    """Read of added and changed files."""
    embedded: int = 0
    """Texts that were embedded."""
    known: int = 0
    """Blocks whose vectors were reused: from an earlier ingest, or from a block with the same text."""
    waiting: int = 0
    """Blocks that wait for the vectors of a slow embedder: searches find them by those of a quick one."""
    quotations: int = 0
    """Quotations of evidence of earlier results that were left out or marked."""
    seconds: float = 0.0
    version: int = 0
    remains_until: datetime | None = None
    """Until when bytes of what was changed or removed may be in the files of the index; None: none are."""

    def __repr__(self) -> str:
        """The counts: the names of a thousand files say nothing in a terminal, and are fields."""
        counts = {
            "added": len(self.added),
            "changed": len(self.changed),
            "unchanged": self.unchanged,
            "removed": len(self.removed),
            "skipped": len(self.skipped),
            "remarks": len(self.remarks),
            "blocks": self.blocks,
            "tokens": self.tokens,
        }
        shown = ", ".join(f"{name}={count}" for name, count in counts.items() if count)
        return f"Summary({shown})"

    @property
    def hit_rate(self) -> float | None:
        """The share of blocks whose vectors were reused; None if no block needed a vector."""
        blocks = self.embedded + self.known
        return self.known / blocks if blocks else None

    @property
    def megabytes_per_second(self) -> float:
        return self.bytes / 1e6 / self.seconds if self.seconds else 0.0
