"""The command `version`."""

from __future__ import annotations

from importlib.metadata import version as installed

from biblicus_context.cli.output.terminal import write


def version() -> None:
    """Print the version of biblicus-context.

    Examples:
      biblicus-context version
    """

    write(installed("biblicus-context"))
