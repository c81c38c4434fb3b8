"""The command `list`."""

from __future__ import annotations

from typing import Any

from biblicus_context.cli.input.options import FormatOption, ProjectOptions
from biblicus_context.cli.input.projects import project_at
from biblicus_context.cli.output.terminal import Format, write, write_json
from biblicus_context.reading import Project


def listing(
    place: ProjectOptions,
    output: FormatOption = Format.TEXT,
) -> None:
    """List the contexts with their descriptions.

    --format json lists every declaration with its file and line, and the inputs of contexts.

    Examples:
      biblicus-context list
      biblicus-context list --shipped
      biblicus-context list --path contexts --format json
    """

    project = project_at(place)
    if output is Format.JSON:
        write_json(_everything(project))
        return
    width = max(map(len, project.contexts), default=0)
    for name, context in project.contexts.items():
        write(f"{name:{width}}  {context.description or ''}".rstrip())


def _everything(project: Project) -> dict[str, list[dict[str, Any]]]:
    declared: dict[str, list[dict[str, Any]]] = {
        kind: [] for kind in ("context", "policy", "retriever", "corpus", "compactor")
    }
    for (kind, name), source in project.sources.items():
        about = _of_context(project, name) if kind == "context" else {}
        declared[kind].append({"name": name, "file": source.file, "line": source.line, **about})
    return declared


def _of_context(project: Project, name: str) -> dict[str, Any]:
    context = project.contexts[name]
    inputs = context.inputs or {}
    return {
        "description": context.description,
        "inputs": {
            name: spec.model_dump(mode="json", exclude_unset=True) for name, spec in inputs.items()
        },
    }
