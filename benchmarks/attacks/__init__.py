"""Campaigns of an adversary, one a file: each yields how many attempts it made, and how many broke a promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from benchmarks.targets import Target


class Extent(NamedTuple):
    """How much of each campaign runs."""

    part: float
    """Of the full number of attempts."""

    def of(self, attempts: int) -> int:
        """How many attempts of a full campaign of this many."""
        return max(1, round(attempts * self.part))


Campaign: TypeAlias = Callable[[Extent], Iterator[Target]]

_MEMORY: Final = Path("/dev/shm")


def fast_folder() -> Path | None:
    """Where temporary folders of a campaign are: in memory if there is such a place."""
    return _MEMORY if _MEMORY.is_dir() else None
