"""Findings: what a linter has to say, as values that no one has printed yet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from biblicus_context.reading.yaml.tree import Place


class Severity(StrEnum):
    """How much a finding matters; only errors and warnings make a run fail."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a file, end exclusive, and the text that belongs there instead."""

    start: Place
    end: Place
    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What a rule says of a place in one document; the runner adds the rule and the file."""

    place: Place
    problem: str
    found: str | None = None
    valid: tuple[str, ...] = ()
    advice: str | None = None
    """What to do."""
    edits: tuple[Edit, ...] = ()
    """A safe way to do it: the document means the same afterwards."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark, by the rule that made it and the file it is about."""

    code: str
    name: str
    severity: Severity
    file: str
    remark: Remark
