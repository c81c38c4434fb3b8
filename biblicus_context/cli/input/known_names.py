"""The names that an option or argument accepts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from biblicus_context.cli.input.completion import NameKind
from biblicus_context.cli.input.corpora import known_corpora, project_of
from biblicus_context.cli.input.options import ProjectOptions
from biblicus_context.cli.input.projects import project_at
from biblicus_context.errors import ContextError
from biblicus_context.text.counters import Counters
from biblicus_context.text.models.table import ModelTable


def known_names(kind: NameKind, path: list[Path] | None, *, shipped: bool) -> Iterable[str]:
    """The names of this kind; none where the project cannot be read, for a shell shows no errors."""
    place = ProjectOptions(path, shipped=shipped)
    try:
        match kind:
            case "context":
                return project_at(place).contexts
            case "retriever":
                return project_at(place).retrievers
            case "corpus":
                return known_corpora(project_of(place))
            case "model":
                return ModelTable.shipped().names()
            case "counter":
                return [*ModelTable.shipped().names(), *Counters().names()]
    except ContextError:
        return ()
