"""The commands that look after indexes; each has a file of its own."""

from __future__ import annotations


def corpus() -> None:
    """Look after the indexes of corpora: list, check, shrink, export and remove them.

    A corpus is a declared one, or one that was indexed from a folder here, which is kept in
    .biblicus-context/NAME.

    Examples:
      biblicus-context corpus list
      biblicus-context corpus check plans
    """
