"""Patterns for paths, as in .gitignore: a pattern without a slash is about names alone."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

_PARTS = re.compile(r"\*\*/|/\*\*$|\*|\?|\[!?[^\]/]+\]")
_MEANING = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}


def matches(pattern: str, file: str, folder: Path) -> bool:
    """Whether a pattern is about a file, or about a folder it lies in; it begins at `folder`.

    >>> here = Path.cwd()
    >>> [matches(each, "plans/old/a.yaml", here) for each in ("old", "*.yaml", "plans/**", "a/*")]
    [True, True, True, False]
    """
    path = os.path.relpath(file, folder).replace(os.sep, "/")
    expression = _expression(pattern.rstrip("/"))
    if "/" not in pattern.rstrip("/"):
        return any(map(expression.fullmatch, path.split("/")))
    parts = path.split("/")
    return any(
        expression.fullmatch("/".join(parts[:length])) for length in range(1, len(parts) + 1)
    )


@lru_cache(maxsize=256)
def _expression(pattern: str) -> re.Pattern[str]:
    """A regular expression that means the same."""
    written, end = "", 0
    for match in _PARTS.finditer(pattern.removeprefix("/")):
        written += re.escape(pattern.removeprefix("/")[end : match.start()])
        sign = match.group()
        written += _MEANING.get(sign) or sign.replace("[!", "[^").replace("\\", "\\\\")
        end = match.end()
    return re.compile(written + re.escape(pattern.removeprefix("/")[end:]))
