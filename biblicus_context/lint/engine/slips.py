"""Mistakes the reader names, on their way to become findings."""

from __future__ import annotations

from typing import NamedTuple

from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.finding import Remark
from biblicus_context.reading.yaml.tree import Place


class Slip(NamedTuple):
    """A mistake by its name, which is that of a rule; unlike an error it can travel."""

    mistake: str
    file: str
    remark: Remark


def slip_of(error: LoadError) -> Slip:
    """What an error of the reader says; a mistake of a whole file stands in its first line."""
    is_text = isinstance(error.found, str)
    problem = error.problem
    if error.found is not None and not is_text:
        problem = f"{problem}: found {error.found!r}"
    remark = Remark(
        Place(error.line or 1, error.column or 1),
        problem,
        str(error.found) if is_text else None,
        error.valid,
        error.fix,
    )
    return Slip(str(error.mistake), error.file, remark)
