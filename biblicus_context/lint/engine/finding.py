"""What a rule yields, and what the linter reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from biblicus_context.base.visible import visible
from biblicus_context.errors import ContextError
from biblicus_context.reading.yaml.tree import Place


class Severity(StrEnum):
    """How much a finding matters: errors and warnings fail a run, notes do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text from `start` up to, but not including, `end`."""

    start: Place
    end: Place
    text: str


@dataclass(frozen=True, slots=True)
class Violation:
    """One place in a document that breaks a rule; the linter adds the rule and the file."""

    place: Place
    problem: str
    found: str | None = None
    valid: tuple[str, ...] = ()
    advice: str | None = None
    """What to do."""
    edits: tuple[Edit, ...] = ()
    """A safe fix: the document means the same afterwards."""
    text_file: str | None = None
    """The file that the place is in, where a plan takes a text from a file."""
    anchor: Place | None = field(default=None, compare=False)
    """Where the plan names that file: a comment there suppresses the finding."""
    severity: Severity | None = None
    """How much it matters, where that is not what the rule says."""


Violations: TypeAlias = Iterator[Violation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Violation):
    """A violation of a known rule in a known file."""

    code: str
    name: str
    severity: Severity
    file: str

    @property
    def sentence(self) -> str:
        """What was found, what is valid and what to do: a paragraph in the form of the engine's errors.

        Control characters are escaped, and lines end in one way.
        """
        error = ContextError(self.problem, found=self.found, valid=self.valid, fix=self.advice)
        return visible(str(error)).replace("\r\n", "\n")
