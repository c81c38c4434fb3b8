"""The command `list`."""

from __future__ import annotations

from typing import Any

from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.projects import project_at
from biblicus_context.cli.options.assembling import ListArguments
from biblicus_context.cli.output.terminal import Format, write, write_json
from biblicus_context.reading import Project


def listing(args: ListArguments) -> None:
    project = project_at(args.place)
    if args.output is Format.JSON:
        write_json(_everything(project))
        return
    width = max(map(len, project.contexts), default=0)
    for name, context in project.contexts.items():
        description = " ".join((context.description or "").split())
        write(one_line(f"{name:{width}}  {description}".rstrip()))


def _everything(project: Project) -> dict[str, list[dict[str, Any]]]:
    declared: dict[str, list[dict[str, Any]]] = {
        kind: [] for kind in ("context", "policy", "format", "retriever", "corpus", "compactor")
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
