"""The command `version`."""

from __future__ import annotations

from biblicus_context.cli.output.terminal import write


def version() -> None:
    """Print the version of biblicus-context.

    Examples:
      biblicus-context version
    """
    from importlib.metadata import version as installed  # noqa: PLC0415

    write(installed("biblicus-context"))
