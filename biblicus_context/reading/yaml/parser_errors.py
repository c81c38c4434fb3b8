"""The errors of the YAML parser become messages that tell an author what to change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from yaml import Mark, MarkedYAMLError, YAMLError

from biblicus_context.reading.mistakes import Mistake


class SyntaxMistake(NamedTuple):
    """Why a text is not valid YAML, and where."""

    mistake: Mistake
    problem: str
    fix: str | None
    mark: Mark | None


class _Wording(NamedTuple):
    """The message for an error of the parser whose text contains `says`."""

    says: str
    mistake: Mistake
    problem: str
    fix: str


_AFTER_VALUE = _Wording(
    "",
    "invalid-yaml",
    "unexpected text after a value that has ended",
    "Put the whole value in quotes, or separate it from the next one.",
)
_UNALIGNED = ("expected key", "'-' indicator", "block end")
# The parser notices these errors at the end of the text; their beginning helps an author more.
_NOTICED_LATE = ("end of stream", "alphabetic or numeric")
_BLOCK_TEXT = (
    "text after '|' or '>' must begin on the next line",
    "Move the text to the next line and indent it, or put it in quotes.",
)
_INDENT = "Indent the keys of one mapping, and the items of one list, equally."
_MIXED = "Begin every item with '- ', or indent this line differently."
_BRACKETS = "Close it, and put text that begins with a brace or a bracket in quotes."
_IN_VALUE = "mapping values are not allowed"
_IN_BRACES = "expected ',' or"
_KEY = re.compile(r"[ ]*(?:-[ ]+)*(?=[A-Za-z_][\w-]*$)")
_KEY_AND_VALUE = re.compile(r"[ ]*(?:-[ ]+)*(?=[A-Za-z_][\w-]*:[ ])")
_WORDINGS: Sequence[_Wording] = (
    _Wording(
        _IN_VALUE,
        "missing-quotes",
        "unquoted ': ' inside a value",
        "Put the value in quotes. If it is a key, check its indentation.",
    ),
    _Wording(
        "cannot start any token",
        "missing-quotes",
        "unquoted text begins with a reserved character",
        "Put the text in quotes.",
    ),
    _Wording(
        "tab character",
        "tab-indentation",
        "tab in the indentation",
        "Indent with spaces.",
    ),
    _Wording(
        "end of stream",
        "unclosed-bracket-or-quote",
        "the quote is not closed",
        "Close it with the same quote.",
    ),
    _Wording(
        "unknown escape character",
        "invalid-yaml",
        "unknown escape in double quotes",
        "Use single quotes, in which a backslash is an ordinary character.",
    ),
    _Wording(
        "invalid Unicode character escape code",
        "lone-surrogate",
        "lone surrogate",
        "Write the complete escape, such as \\U0001F600.",
    ),
    _Wording(
        "expected ':'",
        "invalid-yaml",
        "the key has no colon",
        "Write 'key: value', or indent the line if it continues the text above.",
    ),
    _Wording(
        _IN_BRACES,
        "unclosed-bracket-or-quote",
        "the bracket or brace is not closed",
        _BRACKETS,
    ),
    _Wording(
        "node content",
        "unclosed-bracket-or-quote",
        "unexpected character where a value should begin",
        _BRACKETS,
    ),
    _Wording(
        "alphabetic or numeric",
        "missing-quotes",
        "unquoted text begins with '*' or '&'",
        "Put the text in quotes.",
    ),
    _Wording("comment or line break", "invalid-yaml", *_BLOCK_TEXT),
    _Wording("chomping", "invalid-yaml", *_BLOCK_TEXT),
    _Wording(
        "document start",
        "invalid-yaml",
        "unexpected text after the end of the document",
        "Align the keys of one mapping, or begin another document with '---'.",
    ),
    _Wording(
        "sequence entries are not allowed",
        "invalid-yaml",
        "a list cannot begin on the line of its key",
        "Begin the list on the next line.",
    ),
)


def syntax_mistake(error: YAMLError, lines: Sequence[str]) -> SyntaxMistake:
    """What is wrong with a text of these lines, in an author's words."""
    if not isinstance(error, MarkedYAMLError) or error.problem is None:
        return SyntaxMistake("invalid-yaml", f"invalid YAML: {error}", None, None)
    said = error.problem.replace("<", "").replace(">", "")
    opened = error.context_mark if any(token in said for token in _NOTICED_LATE) else None
    mark = opened or error.problem_mark
    if _is_at(mark, lines, "\t"):
        return SyntaxMistake(
            "tab-indentation", "tab in the indentation", "Indent with spaces.", mark
        )
    if any(token in said for token in _UNALIGNED):
        wording = _unaligned(error.problem_mark, error.context_mark, lines)
        return SyntaxMistake(wording.mistake, wording.problem, wording.fix, mark)
    if _IN_VALUE in said:
        deeper = _deeper_than_siblings(mark, lines)
        if deeper is not None:
            return deeper
    if _IN_BRACES in said and _is_at(mark, lines, ": "):  # `{content: Answer: yes}`
        said = _IN_VALUE
    for wording in _WORDINGS:
        if wording.says in said:
            return SyntaxMistake(wording.mistake, wording.problem, wording.fix, mark)
    return SyntaxMistake("invalid-yaml", f"invalid YAML: {error.problem}", None, mark)


def _deeper_than_siblings(mark: Mark | None, lines: Sequence[str]) -> SyntaxMistake | None:
    """A key that is indented further than the key in the line above, whose value it seems to continue."""
    if mark is None or mark.line >= len(lines):
        return None
    key = _KEY.match(lines[mark.line][: mark.column])
    above = (number for number in range(mark.line - 1, -1, -1) if lines[number].strip())
    sibling = _KEY_AND_VALUE.match(lines[next(above, 0)])
    if key is None or sibling is None or sibling.end() >= key.end():
        return None
    wording = _wrong_indentation(key.end(), sibling.end())
    place = Mark("", 0, mark.line, key.end(), None, 0)
    return SyntaxMistake(wording.mistake, wording.problem, wording.fix, place)


def _wrong_indentation(found: int, siblings: int) -> _Wording:
    indented = "1 space" if found == 1 else f"{found} spaces"
    problem = f"this line is indented by {indented}, its siblings by {siblings}"
    return _Wording("", "invalid-yaml", f"wrong indentation: {problem}", _INDENT)


def _is_at(mark: Mark | None, lines: Sequence[str], text: str) -> bool:
    if mark is None or mark.line >= len(lines):
        return False
    return lines[mark.line].startswith(text, mark.column)


def _unaligned(here: Mark | None, siblings: Mark | None, lines: Sequence[str]) -> _Wording:
    """Why a line does not belong to the list or mapping that begins at `siblings`."""
    if here is None or siblings is None or here.line >= len(lines):
        return _AFTER_VALUE
    if lines[here.line][: here.column].strip():
        return _AFTER_VALUE
    if here.column != siblings.column:
        return _wrong_indentation(here.column, siblings.column)
    # At the same column one is a list and the other a mapping, which cannot be mixed.
    return _Wording("", "invalid-yaml", "keys and list items are mixed", _MIXED)
