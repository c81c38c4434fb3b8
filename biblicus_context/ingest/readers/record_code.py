"""Code in the text of a record: its language, and the name and docstring of what it defines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import dedent
from typing import Any, Final, NamedTuple

from biblicus_context.ingest.readers.code import python_units
from biblicus_context.ingest.readers.definitions import Unit, by_indentation
from biblicus_context.ingest.readers.languages import LANGUAGES
from biblicus_context.ingest.readers.record_fields import first_of

_KNOWN: Final = frozenset(LANGUAGES.values())
_SAID: Final = ("language", "lang", "programming_language")
_MAY_BE_PYTHON: Final = re.compile(r"\s*(?:@\w|#|(?:async\s+)?def\s+\w|class\s+\w)")
_OPENS: Final = re.compile(r"\{[ \t]*\n")
"""A brace that ends a line: prose with a word such as `type` at its start has none."""
_LONGEST: Final = 200_000
"""Characters of a text that are parsed; longer ones are prose or data."""


class RecordCode(NamedTuple):
    """What is known of the code."""

    language: str
    path: tuple[str, ...] = ()
    """The names that its first definition is known by."""
    summary: str = ""


def code_of(text: str, fields: Mapping[str, Any]) -> RecordCode | None:
    """The code that a text is; None if it is not code.

    >>> code_of("def double(n):\\n    return 2 * n", {})
    RecordCode(language='python', path=('double',), summary='')
    >>> code_of("Class is over.", {}) is None
    True
    """
    said = first_of(fields, _SAID).lower()
    language = said if said in _KNOWN else ""
    if len(text) > _LONGEST:
        return RecordCode(language) if language else None
    units = _units(text, language)
    if not language and (not units or units[0].first > 1):
        return None
    first = units[0] if units else Unit(1, (), "")
    return RecordCode(language or _guessed(text), first.path, first.summary)


def _units(text: str, language: str) -> list[Unit]:
    bare = dedent(text).strip("\n")
    lines = bare.split("\n")
    if _MAY_BE_PYTHON.match(bare) and language in ("", "python"):
        found = python_units(bare, lines)
        if found is not None:
            return found
    if language:
        return [*by_indentation(lines)]
    return [*by_indentation(lines)] if _OPENS.search(bare) else []


def _guessed(text: str) -> str:
    return "python" if _MAY_BE_PYTHON.match(text) and "{" not in text.split("\n", 1)[0] else ""
