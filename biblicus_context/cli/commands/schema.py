"""The command `schema`."""

from __future__ import annotations

from typing import Annotated

import typer

from biblicus_context.cli.input.completing import schema_names
from biblicus_context.cli.output.terminal import write


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", help="Of which document; project is any.", autocompletion=schema_names
        ),
    ] = "project",
) -> None:
    """Print the JSON Schema of a kind of document.

    Editors check a file as it is written when its first line names the schema's file:
    `# yaml-language-server: $schema=../schemas/project.schema.json`

    Examples:
      biblicus-context schema context
      biblicus-context schema > project.schema.json
    """
    from biblicus_context.cli.schema_files import schema_files  # noqa: PLC0415
    from biblicus_context.errors import UnknownNameError  # noqa: PLC0415

    files = schema_files()
    if kind not in files:
        raise UnknownNameError("Schema", kind, files)
    write(files[kind].read_text(encoding="utf-8"), end="")
