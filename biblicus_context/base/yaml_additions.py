"""Adds to the YAML that an author wrote: comments, quotes and order stay as they are."""

from __future__ import annotations

from io import StringIO
from typing import Any

from biblicus_context.errors import LoadError


def with_items(text: str, key: str, items: str, *, file: str) -> str:
    """The text with further items in the list under a key of its document.

    `items` is YAML of the same form; an item that the list has already is not added. Raises
    LoadError where the text is not YAML of this form, or a line of it would be lost.

    >>> before = "# Ours.\\nrepos:\\n  - repo: a  # pinned\\n    rev: '1'\\n"
    >>> print(with_items(before, "repos", "repos: [{repo: b}]", file="x.yaml"), end="")
    # Ours.
    repos:
      - repo: a  # pinned
        rev: '1'
      - repo: b
    """
    # Only a command that writes into an author's file needs it.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.util import load_yaml_guess_indent

    try:
        document, indent, offset = load_yaml_guess_indent(text, yaml=_round_trip())
        added = YAML(typ="safe", pure=True).load(items)[key]
    except YAMLError as error:
        reason = str(error).partition("\n")[0]
        raise _refused(f"this is not valid YAML: {reason}", file) from None
    listed = document.get(key) if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise _refused(f"there is no list under '{key}'", file)
    missing = [each for each in added if each not in listed]
    if not missing:
        return text
    listed.extend(missing)
    written = _written(document, indent or 2, offset or 0)
    if not _keeps(text, written):
        raise _refused("the file cannot be changed without rewriting it", file)
    return written


def _round_trip() -> Any:
    from ruamel.yaml import YAML  # see above

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    return yaml


def _written(document: Any, indent: int, offset: int) -> str:
    writer = _round_trip()
    writer.indent(mapping=2, sequence=indent, offset=offset)
    stream = StringIO()
    writer.dump(document, stream)
    return stream.getvalue()


def _keeps(before: str, after: str) -> bool:
    """Whether every line of a text is in another one, in the same order."""
    lines = iter(after.splitlines())
    return all(line in lines for line in before.splitlines())


def _refused(problem: str, file: str) -> LoadError:
    return LoadError(problem, file=file, fix="Add what is missing by hand; nothing was written.")
