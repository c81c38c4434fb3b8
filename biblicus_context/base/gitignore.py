"""Patterns of `.gitignore`, read as git reads them: the one matcher for ingest and lint."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

Step: TypeAlias = "re.Pattern[str] | None"
"""What matches the name of one folder or file; None for any number of folders (`**`)."""
NOTHING: Final = re.compile(r"(?!)")
"""Matches no name."""

_ANY_DEPTH: Final = None
_TOKEN: Final = re.compile(r"\\(.)|(\[[!^]?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\])|(.)", re.DOTALL)
_POSIX: Final = {
    "[:alnum:]": "0-9A-Za-z", "[:alpha:]": "A-Za-z", "[:digit:]": "0-9", "[:lower:]": "a-z",
    "[:space:]": " \t\n\r\f\v", "[:upper:]": "A-Z", "[:xdigit:]": "0-9A-Fa-f",
}  # fmt: skip


def steps_match(steps: Sequence[Step], parts: Sequence[str]) -> bool:
    """Whether the steps match a whole path, given as its parts.

    On a mismatch it returns to the last `**` only, so the work is at most the product of both
    lengths; trying every split would be exponential for a pattern such as `**/a/**/a/**/a`.
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


class IgnorePattern(NamedTuple):
    """One line of a `.gitignore` file."""

    steps: tuple[Step, ...]
    negated: bool
    """Whether it began with `!`."""
    folders_only: bool

    def matches(self, path: Sequence[str], *, is_folder: bool) -> bool:
        """Whether it matches this very path; a match of a folder above does not count."""
        if self.folders_only and not is_folder:
            return False
        steps = self.steps
        if len(steps) == 2 and steps[0] is _ANY_DEPTH and steps[1] is not _ANY_DEPTH:
            return steps[1].match(path[-1]) is not None  # most patterns; much faster than a walk
        return steps_match(steps, path)


@lru_cache(maxsize=1024)
def parse_line(line: str) -> IgnorePattern | None:
    """The pattern in a line; None if it is blank, a comment, or can never match."""
    text = _without_end(line)
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text.removeprefix("!")
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    split = text.removeprefix("/").split("/")
    if not all(split):
        return None
    anywhere = "/" not in text
    parts = [_ANY_DEPTH, *map(_part, split)] if anywhere else [*map(_part, split)]
    if parts[-1] is _ANY_DEPTH:  # `a/**` matches what is inside `a`, not `a` itself
        parts.append(re.compile(""))
    if NOTHING in parts:
        return None
    return IgnorePattern(tuple(parts), negated, folders_only)


class IgnorePatterns:
    """Patterns about the paths below one folder.

    `below` is that folder's path from the root of the walk, `above` the root's path from that
    folder; one of the two is empty.
    """

    def __init__(self, lines: Sequence[str], *, below: str = "", above: str = "") -> None:
        self._below = below
        self._above = above
        patterns = map(parse_line, lines)
        # Reversed, because the last pattern that matches decides.
        self._patterns = [each for each in reversed([*patterns]) if each is not None]

    def verdict(self, name: str) -> bool | None:
        """Whether a name is ignored; None if no pattern matches it."""
        is_folder = name.endswith("/")
        path = f"{self._above}{name.removeprefix(self._below)}".rstrip("/").split("/")
        for each in self._patterns:
            if each.matches(path, is_folder=is_folder):
                return not each.negated
        return None


def covers(pattern: str, file: str, folder: Path) -> bool:
    """Whether a pattern, relative to `folder`, matches a file or a folder that it is in.

    >>> here = Path.cwd()
    >>> [covers(each, "plans/old/a.yaml", here) for each in ("old", "*.yaml", "plans/**", "a/*")]
    [True, True, True, False]
    """
    parsed = parse_line(pattern)
    if parsed is None or parsed.negated:
        return False
    parts = os.path.relpath(file, folder).replace(os.sep, "/").split("/")
    return any(
        parsed.matches(parts[:length], is_folder=length < len(parts))
        for length in range(1, len(parts) + 1)
    )


def _part(text: str) -> Step:
    if text == "**":
        return _ANY_DEPTH
    try:
        # `translate` writes atomic groups, so no pattern can make matching exponential.
        return re.compile(translate("".join(_tokens(text))))
    except (ValueError, re.error):
        return NOTHING


def _tokens(text: str) -> Iterator[str]:
    """A part in the syntax of fnmatch, which has no backslashes."""
    if re.search(r"(?<!\\)(?:\\\\)*\\$", text):
        raise ValueError("a backslash at the end")
    for escaped, characters, other in _TOKEN.findall(text):
        if escaped:
            yield f"[{escaped}]" if escaped in "*?[" else escaped
        elif characters:
            yield _set(characters[1:-1])
        elif other == "[":
            raise ValueError("a set that is not closed")
        else:
            yield other


def _set(inside: str) -> str:
    mark = "!" if inside[:1] in {"!", "^"} else ""
    inside = inside[len(mark) :] if mark else inside
    for name, members in _POSIX.items():
        inside = inside.replace(name, members)
    bare = re.sub(r"\\(.)", r"\1", inside, flags=re.DOTALL)
    first = "]" if "]" in bare else ""
    return f"[{mark}{first}{bare.replace(']', '')}]"


def _without_end(line: str) -> str:
    """A line without trailing white space, except what a backslash keeps."""
    text = line.rstrip("\r\n").removesuffix("\r")
    while text.endswith(" "):
        if text.endswith("\\ "):
            break
        text = text[:-1]
    return text
