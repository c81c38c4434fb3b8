"""The command `schema`."""

from __future__ import annotations

from biblicus_context.cli.options.reference import SchemaArguments
from biblicus_context.cli.output.terminal import write
from biblicus_context.errors import UnknownNameError
from biblicus_context.reading.shipped import shipped_schemas


def schema(args: SchemaArguments) -> None:
    files = shipped_schemas()
    if args.kind not in files:
        raise UnknownNameError("Schema", args.kind, files)
    write(files[args.kind].read_text(encoding="utf-8"), end="")
