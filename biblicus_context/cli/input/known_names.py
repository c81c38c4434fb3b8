"""The names that an option or argument accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from biblicus_context.cli.input.corpora import known_corpora, project_of
from biblicus_context.cli.input.projects import project_at
from biblicus_context.cli.options.completion import NameKind
from biblicus_context.cli.options.shared import ProjectOptions
from biblicus_context.errors import ContextError
from biblicus_context.reading.shipped import shipped_schemas
from biblicus_context.text.counters import Counters
from biblicus_context.text.models.table import ModelTable


def known_names(kind: NameKind, path: list[Path] | None, *, shipped: bool) -> Iterable[str]:
    """The names of this kind; none where the project cannot be read, for a shell shows no errors."""
    place = ProjectOptions(path, shipped=shipped)
    names: dict[NameKind, Callable[[], Iterable[str]]] = {
        "context": lambda: project_at(place).contexts,
        "retriever": lambda: project_at(place).retrievers,
        "corpus": lambda: known_corpora(project_of(place)),
        "model": ModelTable.shipped().names,
        "counter": lambda: [*ModelTable.shipped().names(), *Counters().names()],
        "schema": shipped_schemas,
    }
    try:
        return names[kind]()
    except ContextError:
        return ()
