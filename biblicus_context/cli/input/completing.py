"""What a shell offers when a name is typed half; it never fails, at worst it offers nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from biblicus_context.reading import Project


def context_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of the contexts that the command would look in."""
    project = _project(ctx)
    return _beginning(incomplete, project.contexts) if project else []


def retriever_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of the retrievers that are declared there."""
    project = _project(ctx)
    return _beginning(incomplete, project.retrievers) if project else []


def corpus_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """Names of the corpora that are declared, and of those that were indexed here."""
    from biblicus_context.cli.input.corpora import known_corpora, project_of  # noqa: PLC0415
    from biblicus_context.cli.input.options import Place  # noqa: PLC0415 - which needs this file
    from biblicus_context.errors import ContextError  # noqa: PLC0415

    place = Place(ctx.params.get("path"), shipped=bool(ctx.params.get("shipped")))
    try:
        return _beginning(incomplete, known_corpora(project_of(place)))
    except ContextError:
        return []


def model_names(incomplete: str) -> list[str]:
    """Names in the table of models."""
    from biblicus_context.text.models.table import ModelTable  # noqa: PLC0415

    return _beginning(incomplete, ModelTable.shipped().names())


def schema_names(incomplete: str) -> list[str]:
    """Kinds of document that have a schema."""
    from biblicus_context.cli.schema_files import schema_files  # noqa: PLC0415

    return _beginning(incomplete, schema_files())


def counter_names(incomplete: str) -> list[str]:
    """Names of models and counters."""
    from biblicus_context.text.counters import Counters  # noqa: PLC0415

    return [*model_names(incomplete), *_beginning(incomplete, Counters().names())]


def _project(ctx: typer.Context) -> Project | None:
    """The project that the command would look in, where it can be read."""
    from biblicus_context.cli.input.options import Place  # noqa: PLC0415 - which needs this file
    from biblicus_context.cli.input.projects import project_at  # noqa: PLC0415
    from biblicus_context.errors import ContextError  # noqa: PLC0415

    try:
        return project_at(Place(ctx.params.get("path"), shipped=bool(ctx.params.get("shipped"))))
    except ContextError:
        return None


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
