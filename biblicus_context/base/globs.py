"""Globs over paths: `*` and `?` stay inside a folder, `**` does not.

These are not patterns of `.gitignore`: a glob of a filter matches a whole path or nothing, and has no
negation, comments or folder marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache

from biblicus_context.base.gitignore import Step, steps_match


class Globs:
    """Several globs, of which one must match a whole path.

    >>> Globs(["docs/**/*.md"]).match("docs/a/b/setup.md"), Globs(["*.md"]).match("docs/setup.md")
    (True, False)
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(tuple(map(_step, pattern.split("/"))) for pattern in patterns)

    def match(self, path: str) -> bool:
        """Whether one of them matches."""
        parts = path.split("/")
        return any(steps_match(steps, parts) for steps in self._patterns)


@lru_cache(maxsize=1024)
def _step(written: str) -> Step:
    return None if written == "**" else re.compile(translate(written))
