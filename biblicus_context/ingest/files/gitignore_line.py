"""A line of `.gitignore`, read as git reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from typing import Final, NamedTuple

from biblicus_context.stores.globs import NOTHING, Step, matches

_ANY_DEPTH: Final = None
"""Stands for `**`: any number of folders."""
_TOKEN: Final = re.compile(r"\\(.)|(\[[!^]?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\])|(.)", re.DOTALL)
_POSIX: Final = {
    "[:alnum:]": "0-9A-Za-z", "[:alpha:]": "A-Za-z", "[:digit:]": "0-9", "[:lower:]": "a-z",
    "[:space:]": " \t\n\r\f\v", "[:upper:]": "A-Z", "[:xdigit:]": "0-9A-Fa-f",
}  # fmt: skip


class Glob(NamedTuple):
    """One pattern, by the parts of the paths it means."""

    parts: tuple[Step, ...]
    takes_back: bool
    """Whether it began with `!`."""
    folders_only: bool

    def means(self, path: Sequence[str], *, is_folder: bool) -> bool:
        """Whether it means this very path, not only a folder above it."""
        if self.folders_only and not is_folder:
            return False
        parts = self.parts
        if len(parts) == 2 and parts[0] is _ANY_DEPTH and parts[1] is not _ANY_DEPTH:
            return parts[1].match(path[-1]) is not None
        return matches(parts, path)


def glob_of(line: str) -> Glob | None:
    """The pattern of a line; None where it is blank or a comment, or can never mean anything."""
    text = _without_end(line)
    if not text or text.startswith("#"):
        return None
    takes_back = text.startswith("!")
    text = text.removeprefix("!")
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    split = text.removeprefix("/").split("/")
    if not all(split):
        return None
    anywhere = "/" not in text
    parts = [_ANY_DEPTH, *map(_part, split)] if anywhere else [*map(_part, split)]
    if parts[-1] is _ANY_DEPTH:  # all that is inside
        parts.append(re.compile(""))
    if NOTHING in parts:
        return None
    return Glob(tuple(parts), takes_back, folders_only)


def _part(text: str) -> Step:
    if text == "**":
        return _ANY_DEPTH
    try:
        # The standard library writes an expression that never tries many ways to match.
        return re.compile(translate("".join(_tokens(text))))
    except (ValueError, re.error):
        return NOTHING


def _tokens(text: str) -> Iterator[str]:
    """A part in the words of fnmatch, which has no backslashes."""
    if re.search(r"(?<!\\)(?:\\\\)*\\$", text):
        raise ValueError("a backslash with nothing behind it")
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
    """A line without the white space behind it, except what a backslash keeps."""
    text = line.rstrip("\r\n").removesuffix("\r")
    while text.endswith(" "):
        if text.endswith("\\ "):
            break
        text = text[:-1]
    return text
