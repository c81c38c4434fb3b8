"""The command `schema`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from biblicus_context.cli.output.terminal import write
from biblicus_context.errors import UnknownNameError
from biblicus_context.reading.shipped import shipped

_ENDING = ".schema.json"


def _kinds(incomplete: str) -> list[str]:
    return [kind for kind in _files() if kind.startswith(incomplete)]


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="The kind of document; project covers all.", autocompletion=_kinds
        ),
    ] = "project",
) -> None:
    """Print the JSON Schema of a kind of document.

    Editors check a file while you type if its first line names the schema:
    `# yaml-language-server: $schema=../schemas/project.schema.json`

    Examples:
      biblicus-context schema context
      biblicus-context schema > project.schema.json
    """
    files = _files()
    if kind not in files:
        raise UnknownNameError("Schema", kind, files)
    write(files[kind].read_text(encoding="utf-8"), end="")


def _files() -> dict[str, Path]:
    """The schemas that come with the package, by kind of document."""
    files = sorted(shipped("schemas").glob(f"*{_ENDING}"))
    return {file.name.removesuffix(_ENDING): file for file in files}
