"""Errors of the YAML parser, worded so that an author knows what to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from yaml import Mark, MarkedYAMLError, YAMLError

from biblicus_context.reading.mistakes import Mistake


class SyntaxMistake(NamedTuple):
    """Why a text is not YAML, and where."""

    mistake: Mistake
    problem: str
    fix: str | None
    mark: Mark | None


class _Wording(NamedTuple):
    says: str
    mistake: Mistake
    problem: str
    fix: str


_UNALIGNED = (
    "unexpected text: it does not continue the line or the item before it",
    "Align the keys of one mapping; quote text that begins with a brace, a bracket or a quote.",
)
_NOTICED_LATE = ("end of stream", "alphabetic or numeric")
_BLOCK_TEXT = (
    "text after '|' or '>' has to begin on the next line",
    "Move it down and indent it, or quote text that begins with this character.",
)
_BRACKETS = "Close it, and quote text that begins with a brace or a bracket."
_WORDINGS: Sequence[_Wording] = (
    _Wording(
        "mapping values are not allowed",
        "missing-quotes",
        "unquoted ': ' inside a value",
        "Put the value in quotes, and check the indentation.",
    ),
    _Wording(
        "cannot start any token",
        "missing-quotes",
        "a value cannot begin with this character",
        "Indent with spaces, not tabs; quote text that begins with @, ` or %.",
    ),
    _Wording(
        "tab character",
        "tab-indentation",
        "a tab is used for indentation",
        "Indent with spaces.",
    ),
    _Wording(
        "end of stream",
        "unclosed-bracket-or-quote",
        "a quote is not closed",
        "Close it with the same quote.",
    ),
    _Wording(
        "unknown escape character",
        "invalid-yaml",
        "unknown escape after a backslash",
        "Use single quotes: there a backslash is an ordinary character.",
    ),
    _Wording(
        "invalid Unicode character escape code",
        "lone-surrogate",
        "half a character",
        "Write the whole character, as in \\U0001F600.",
    ),
    _Wording(
        "expected ':'",
        "invalid-yaml",
        "a key without a colon",
        "Write 'key: value', and indent the lines that continue a text.",
    ),
    _Wording(
        "expected ',' or",
        "unclosed-bracket-or-quote",
        "a bracket or a brace is not closed",
        _BRACKETS,
    ),
    _Wording(
        "node content",
        "unclosed-bracket-or-quote",
        "a value cannot begin with this character",
        _BRACKETS,
    ),
    _Wording(
        "alphabetic or numeric",
        "missing-quotes",
        "text cannot begin with this character",
        "Quote text that begins with * or &.",
    ),
    _Wording("comment or line break", "invalid-yaml", *_BLOCK_TEXT),
    _Wording("chomping", "invalid-yaml", *_BLOCK_TEXT),
    _Wording("expected key", "invalid-yaml", *_UNALIGNED),
    _Wording("'-' indicator", "invalid-yaml", *_UNALIGNED),
    _Wording("block end", "invalid-yaml", *_UNALIGNED),
    _Wording(
        "document start",
        "invalid-yaml",
        "unexpected text after the end of the document",
        "Align the keys of one mapping, and begin another document with '---'.",
    ),
    _Wording(
        "sequence entries are not allowed",
        "invalid-yaml",
        "a list cannot begin here",
        "Begin the list on a line of its own.",
    ),
)


def syntax_mistake(error: YAMLError) -> SyntaxMistake:
    """The parser's error, worded for an author."""
    if not isinstance(error, MarkedYAMLError) or error.problem is None:
        return SyntaxMistake("invalid-yaml", f"this is not YAML: {error}", None, None)
    said = error.problem.replace("<", "").replace(">", "")
    # What opens a quote or an alias helps; an open quote is noticed at the end of the file only.
    opened = error.context_mark if any(token in said for token in _NOTICED_LATE) else None
    mark = opened or error.problem_mark
    for wording in _WORDINGS:
        if wording.says in said:
            return SyntaxMistake(wording.mistake, wording.problem, wording.fix, mark)
    return SyntaxMistake("invalid-yaml", f"this is not YAML: {error.problem}", None, mark)


def wrong_indentation(error: YAMLError, lines: Sequence[str]) -> str | None:
    """The problem in figures, if an item begins a line but is not aligned with its siblings."""
    if not isinstance(error, MarkedYAMLError) or "block" not in (error.context or ""):
        return None
    mark, parent = error.problem_mark, error.context_mark
    if mark is None or parent is None or mark.line >= len(lines):
        return None
    begins_line = not lines[mark.line][: mark.column].strip(" ")
    if not begins_line or mark.column in (0, parent.column):
        return None
    return (
        f"wrong indentation: this item is indented by {_spaces(mark.column)}, "
        f"its siblings by {parent.column}"
    )


def _spaces(count: int) -> str:
    return f"{count} space{'' if count == 1 else 's'}"
