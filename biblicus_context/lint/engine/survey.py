"""One file, read: what it declares, what keeps it from being read, and what it allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.slips import Slip, slip_of
from biblicus_context.lint.engine.suppressions import Allowance, allowances
from biblicus_context.lint.facts.project.declarations import Entry, entry_of
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.files import read_plan
from biblicus_context.reading.load import Document, read_documents
from biblicus_context.reading.project import claimed_names
from biblicus_context.reading.yaml.characters import as_text


@dataclass(frozen=True)
class Survey:
    """What the rest of a run has to know of a file."""

    file: str
    is_read: bool = True
    """Whether its content could be had at all."""
    text: str = ""
    entries: Sequence[Entry] = ()
    slips: Sequence[Slip] = ()
    claims: Sequence[str] = ()
    """Names that a file with mistakes seems to declare."""
    allowances: Sequence[Allowance] = ()
    plans: Sequence[Plan] = field(default=(), repr=False)


def survey(path: Path) -> Survey:
    """Read a file; nothing that is wrong with it is raised."""
    file = str(path)
    try:
        data = read_plan(path)
    except LoadError as error:
        return Survey(file, is_read=error.mistake != "unreadable-file", slips=[slip_of(error)])
    found = read_documents(data, file)
    mistakes = [each for each in found if isinstance(each, LoadError)]
    documents = [each for each in found if isinstance(each, Document)]
    text = _text(data, file)
    lines = tuple(text.splitlines())
    return Survey(
        file,
        text=text,
        entries=[entry_of(document) for document in documents],
        slips=[slip_of(error) for error in mistakes],
        claims=claimed_names(data) if mistakes else (),
        allowances=allowances(text),
        plans=[Plan(document, lines) for document in documents],
    )


def _text(data: bytes, file: str) -> str:
    """A file's text, also where plans may not contain all of it."""
    try:
        return as_text(data, file)
    except LoadError:
        return data.decode("utf-8", errors="replace")
