"""The command `version`."""

from __future__ import annotations

from importlib.metadata import version as installed

from biblicus_context.cli.options.reference import VersionArguments
from biblicus_context.cli.output.terminal import write


def version(args: VersionArguments) -> None:
    write(installed("biblicus-context"))
