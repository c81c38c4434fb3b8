"""Where classes and functions begin, guessed from lines: for languages without a parser here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError


class Unit(NamedTuple):
    """A class, a function or a method: its first line, its names from the outside in, its docstring."""

    first: int
    path: tuple[str, ...]
    summary: str


_LONGEST: Final = 400
"""Characters of a line that are read; definitions are shorter."""
_MODIFIER: Final = (
    r"(?:export|default|public|private|protected|internal|static|final|abstract|async|pub"
    r"|unsafe|extern|inline|override|sealed|data|open|suspend|local|virtual|const|declare|partial)"
)
_DEFINES: Final = re.compile(
    rf"(?:{_MODIFIER}(?:\([^)]*\))?\s+)*+"
    r"(class|struct|enum|interface|trait|impl|module|namespace|object|record"
    r"|type|fn|func|fun|function|def|sub)\b[\s*&]*"
    r"(?:[<(][^>)]*[>)]\s*)?([\w$.]+(?:::[\w$.~]+)*)?"
)
_HOLDING: Final = frozenset(
    {"class", "struct", "enum", "interface", "trait", "impl", "module", "namespace", "object"}
)
"""Definitions that contain other definitions."""
_TYPED: Final = re.compile(r"[\w<>\[\]*&:,~?$@. \t]*")
_NAME: Final = re.compile(r"[\w$~]+")
_STATEMENTS: Final = frozenset(
    {"if", "else", "elif", "for", "foreach", "while", "until", "do", "switch", "match", "case"}
    | {"return", "try", "catch", "except", "finally", "with", "using", "lock", "synchronized"}
    | {"new", "throw", "await", "yield", "sizeof", "print", "assert", "unless", "loop"}
)
_COMMENTS: Final = ("#", "//", "/*", "*", "--", "@")


class Definition(NamedTuple):
    """What a line defines: its name, and the word for its kind if the language has one."""

    line: int
    name: str
    keyword: str


class _Open(NamedTuple):
    indentation: int
    name: str
    holds: bool


def by_indentation(lines: Sequence[str]) -> Iterator[Unit]:
    """Definitions in the first column, and those directly inside a class, a module and so on."""
    opened: list[_Open] = []
    last = 0
    for number, line in enumerate(lines, 1):
        bare = line[:_LONGEST].lstrip()
        if not bare or bare[0] in ")}]#/*-@":
            continue
        found = _defined(bare, lines[number] if number < len(lines) else "")
        if found is None:
            continue
        indentation = len(line) - len(line.lstrip())
        while opened and opened[-1].indentation >= indentation:
            opened.pop()
        if (indentation and not opened) or not all(each.holds for each in opened):
            continue
        name, keyword = found
        opened.append(_Open(indentation, name, keyword in _HOLDING))
        yield Unit(max(with_comments(lines, number), last + 1), _path(opened), "")
        last = number


@door
def definitions(lines: Sequence[str]) -> Iterator[Definition]:
    """Every line that defines something, wherever it is; the first line is 0.

    >>> [each.name for each in definitions(["class Clock:", "    def now(self):", "        pass"])]
    ['Clock', 'now']
    """
    for number, line in enumerate(lines):
        bare = line[:_LONGEST].lstrip()
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if bare and bare[0] not in ")}]#/*-@" and (found := _defined(bare, following)):
            yield Definition(number, *found)


@door
def with_comments(lines: Sequence[str], first: int) -> int:
    """The line of the first comment directly above."""
    if first > len(lines) + 1:
        raise InputError(f"there are {len(lines)} lines", place="first", found=first)
    while first > 1 and lines[first - 2].lstrip().startswith(_COMMENTS):
        first -= 1
    return first


def _path(opened: Sequence[_Open]) -> tuple[str, ...]:
    return tuple(each.name for each in opened)


def _defined(line: str, following: str) -> tuple[str, str] | None:
    """The name that a line defines, and the word before it, which may be missing."""
    found = _DEFINES.match(line)
    if found and found[2]:
        return found[2], found[1]
    head, bracket, rest = line.partition("(")
    names = _NAME.findall(head)
    if not bracket or not names or not head.rstrip().endswith(names[-1]) or ";" in rest:
        return None
    opens = rest.rstrip().endswith("{") or following.lstrip().startswith("{")
    if opens and _TYPED.fullmatch(head) and _STATEMENTS.isdisjoint(names):
        return names[-1], ""
    return None
