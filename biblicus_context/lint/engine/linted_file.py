"""One file, read: its documents, its errors and its suppressions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.suppressions import Suppression, parse_suppressions
from biblicus_context.lint.facts.project.declarations import DeclarationEntry, entry_of
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.files import read_plan
from biblicus_context.reading.load import PlanDocument, claimed_names, read_drafts
from biblicus_context.reading.yaml.decoding import as_text


@dataclass(frozen=True)
class LintedFile:
    """What was read from a file; its errors are values, so that one bad file stops no other."""

    file: str
    is_read: bool = True
    """Whether the content could be read at all."""
    text: str = ""
    entries: Sequence[DeclarationEntry] = ()
    """Everything that it declares, invalid documents included."""
    understood_entries: Sequence[DeclarationEntry] = ()
    """Without the documents of which something had to be left out."""
    partly_read_entries: Sequence[DeclarationEntry] = ()
    """These documents, as far as they could be read."""
    errors: Sequence[LoadError] = ()
    claimed_names: Sequence[str] = ()
    """Names that a file with errors seems to declare."""
    suppressions: Sequence[Suppression] = ()
    plans: Sequence[Plan] = field(default=(), repr=False)

    @property
    def texts(self) -> Mapping[str, str]:
        """The text of this file, and of the files that its plans take texts from."""
        taken = (text for plan in self.plans for text in plan.document.text_files.values())
        return {**{text.path: text.text for text in taken}, self.file: self.text}


ReadFile: TypeAlias = Callable[[Path, Collection[Path]], LintedFile]
"""Reads a file of the folders that are checked."""


def read_file(path: Path, roots: Collection[Path] = (), data: bytes | None = None) -> LintedFile:
    """Read a file; its errors are returned, not raised. `roots` are the folders that are checked.

    `data` takes the place of what is on the disk.
    """
    file = str(path)
    try:
        data = read_plan(path) if data is None else data
    except LoadError as error:
        return LintedFile(file, is_read=error.mistake != "unreadable-file", errors=[error])
    results = read_drafts(data, file, roots)
    errors = [each for each in results if isinstance(each, LoadError)]
    documents = [each for each in results if isinstance(each, PlanDocument)]
    entries = [entry_of(document) for document in documents]
    text = _text(data, file)
    lines = tuple(text.splitlines())
    both = [*zip(entries, documents, strict=True)]
    return LintedFile(
        file,
        text=text,
        entries=entries,
        understood_entries=[entry for entry, document in both if not document.lost],
        partly_read_entries=[entry for entry, document in both if document.lost],
        errors=errors,
        claimed_names=claimed_names(data) if errors else (),
        suppressions=parse_suppressions(text),
        plans=[Plan(document, lines) for document in documents],
    )


def _text(data: bytes, file: str) -> str:
    """The text of a file, even where it contains characters that plans must not contain."""
    try:
        return as_text(data, file)
    except LoadError:
        return data.decode("utf-8", errors="replace")
