"""Globs over paths: `*` and `?` stay inside a folder, `**` does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Final, TypeAlias

Step: TypeAlias = "re.Pattern[str] | None"
"""What matches the name of a folder or file; None for any number of folders."""
NOTHING: Final = re.compile(r"(?!)")
"""Matches no name."""


class Globs:
    """Several globs, of which one has to match a whole path.

    >>> Globs(["docs/**/*.md"]).match("docs/a/b/setup.md"), Globs(["*.md"]).match("docs/setup.md")
    (True, False)
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = tuple(tuple(map(_step, pattern.split("/"))) for pattern in patterns)

    def match(self, path: str) -> bool:
        """Whether one of them matches."""
        parts = path.split("/")
        return any(matches(steps, parts) for steps in self._patterns)


@lru_cache(maxsize=1024)
def _step(written: str) -> Step:
    return None if written == "**" else re.compile(translate(written))


def matches(steps: Sequence[Step], parts: Sequence[str]) -> bool:
    """Whether the steps mean the whole path.

    It goes back to the last `**` only, so the work is at most the one length times the other.
    """
    step = part = 0
    retry: tuple[int, int] | None = None
    while part < len(parts):
        pattern = steps[step] if step < len(steps) else NOTHING
        if pattern is None:
            retry = step, part
            step += 1
        elif pattern.match(parts[part]):
            step, part = step + 1, part + 1
        elif retry is not None:
            retry = retry[0], retry[1] + 1
            step, part = retry[0] + 1, retry[1]
        else:
            return False
    return all(pattern is None for pattern in steps[step:])
