"""How golden tests are run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller of `run_tests` may choose."""

    update: bool = False
    """Whether snapshots are written instead of compared."""
    filter: str = ""
    """Only cases with this text in their name or in their file's path, whatever its case."""
    fail_fast: bool = False
    """Whether the first case that does not pass ends the run."""
