"""The group of commands that manage indexes; each command has its own file."""

from __future__ import annotations


def corpus() -> None:
    """Manage the indexes of corpora: list, check, shrink, export and remove them.

    A corpus is declared in a project, or was indexed from a folder here and is stored in
    .biblicus-context/NAME.

    Examples:
      biblicus-context corpus list
      biblicus-context corpus check plans
    """
