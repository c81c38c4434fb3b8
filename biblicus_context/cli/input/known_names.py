"""The names that an option or argument accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from biblicus_context.cli.input.corpora import known_corpora
from biblicus_context.cli.input.projects import has_project, paths_of
from biblicus_context.cli.options.completion import NameKind
from biblicus_context.cli.options.shared import ProjectOptions
from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.rule_book import rule_book
from biblicus_context.reading import Project, read_project
from biblicus_context.reading.shipped import shipped_schemas
from biblicus_context.text.counters import Counters
from biblicus_context.text.models.table import ModelTable


def known_names(kind: NameKind, given: Mapping[str, Any]) -> Iterable[str]:
    """The names of this kind, by the arguments that are already typed.

    None where the project cannot be read, for a shell shows no errors.
    """
    place = ProjectOptions(given.get("path"), shipped=bool(given.get("shipped")))
    names: dict[NameKind, Callable[[], Iterable[str]]] = {
        "context": lambda: _project(place).contexts,
        "input": lambda: _inputs(given.get("name"), place),
        "retriever": lambda: _project(place).retrievers,
        "corpus": lambda: known_corpora(_project(place) if has_project(place) else None),
        "model": ModelTable.shipped().names,
        "counter": lambda: [*ModelTable.shipped().names(), *Counters().names()],
        "rule": lambda: rule_book().by_selector,
        "schema": shipped_schemas,
    }
    try:
        return names[kind]()
    except ContextError:
        return ()


def _project(place: ProjectOptions) -> Project:
    """What can be used of the project, without a warning about the rest."""
    return read_project(*paths_of(place)).project


def _inputs(context: str | None, place: ProjectOptions) -> Iterable[str]:
    """The inputs of the context that is typed before; of `diff`, which may name files, of all."""
    contexts = _project(place).contexts
    chosen = [contexts[context]] if context and context in contexts else contexts.values()
    return dict.fromkeys(f"{name}=" for each in chosen for name in each.inputs or ())
