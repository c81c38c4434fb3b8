"""The names that an option or argument accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from biblicus_context.cli.input.corpora import known_corpora, project_of
from biblicus_context.cli.input.projects import project_at
from biblicus_context.cli.options.completion import NameKind
from biblicus_context.cli.options.shared import ProjectOptions
from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.rule_book import rule_book
from biblicus_context.reading.shipped import shipped_schemas
from biblicus_context.text.counters import Counters
from biblicus_context.text.models.table import ModelTable


def known_names(kind: NameKind, given: Mapping[str, Any]) -> Iterable[str]:
    """The names of this kind, by the arguments that are already typed.

    None where the project cannot be read, for a shell shows no errors.
    """
    place = ProjectOptions(given.get("path"), shipped=bool(given.get("shipped")))
    names: dict[NameKind, Callable[[], Iterable[str]]] = {
        "context": lambda: project_at(place).contexts,
        "input": lambda: _inputs(given.get("name"), place),
        "retriever": lambda: project_at(place).retrievers,
        "corpus": lambda: known_corpora(project_of(place)),
        "model": ModelTable.shipped().names,
        "counter": lambda: [*ModelTable.shipped().names(), *Counters().names()],
        "rule": lambda: rule_book().by_selector,
        "schema": shipped_schemas,
    }
    try:
        return names[kind]()
    except ContextError:
        return ()


def _inputs(context: str | None, place: ProjectOptions) -> Iterable[str]:
    """The inputs of the context that is typed before; of `diff`, which may name files, of all."""
    contexts = project_at(place).contexts
    chosen = [contexts[context]] if context and context in contexts else contexts.values()
    return dict.fromkeys(f"{name}=" for each in chosen for name in each.inputs or ())
