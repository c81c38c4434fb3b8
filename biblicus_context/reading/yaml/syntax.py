"""What the YAML parser objects to, said so that an author knows what to change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from yaml import Mark, MarkedYAMLError, YAMLError

from biblicus_context.reading.mistakes import Mistake


class Objection(NamedTuple):
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
    "this does not continue what stands above",
    "Align the keys of one mapping; quote text that begins with a brace, a bracket or a quote.",
)
_NOTICED_LATE = ("end of stream", "alphabetic or numeric")
_BLOCK_TEXT = (
    "text behind '|' or '>' begins in the next line",
    "Move it down and indent it, or quote text that begins with this character.",
)
_BRACKETS = "Close what is opened, and quote text that begins with a brace or a bracket."
_WORDINGS: Sequence[_Wording] = (
    _Wording(
        "mapping values are not allowed",
        "missing-quotes",
        "a colon where no key can be",
        "Quote text that contains ': ', and check the indentation.",
    ),
    _Wording(
        "cannot start any token",
        "missing-quotes",
        "nothing can begin with this character",
        "Indent with spaces, not tabs; quote text that begins with @, ` or %.",
    ),
    _Wording(
        "tab character",
        "tab-indentation",
        "a tab where spaces have to indent",
        "Indent with spaces.",
    ),
    _Wording(
        "end of stream",
        "unclosed-bracket-or-quote",
        "a quote is opened and not closed",
        "Close it with the same quote.",
    ),
    _Wording(
        "unknown escape character",
        "invalid-yaml",
        "a backslash that begins no known escape",
        "Use single quotes, where a backslash is only a backslash.",
    ),
    _Wording(
        "invalid Unicode character escape code",
        "lone-surrogate",
        "half a character",
        "Write it whole, as in \\U0001F600.",
    ),
    _Wording(
        "expected ':'",
        "invalid-yaml",
        "a key without a colon",
        "Write 'key: value'; indent the lines that continue a text below its key.",
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
        "nothing can begin with this character",
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
        "this does not continue what stands above",
        "Align the keys of one mapping, and begin another document with '---'.",
    ),
    _Wording(
        "sequence entries are not allowed",
        "invalid-yaml",
        "a list cannot begin here",
        "Begin the list on a line of its own.",
    ),
)


def objection(error: YAMLError) -> Objection:
    """The parser's complaint in an author's words."""
    if not isinstance(error, MarkedYAMLError) or error.problem is None:
        return Objection("invalid-yaml", f"this is not YAML: {error}", None, None)
    said = error.problem.replace("<", "").replace(">", "")
    # What opens a quote or an alias helps; an open quote is noticed at the end of the file only.
    opened = error.context_mark if any(token in said for token in _NOTICED_LATE) else None
    mark = opened or error.problem_mark
    for wording in _WORDINGS:
        if wording.says in said:
            return Objection(wording.mistake, wording.problem, wording.fix, mark)
    return Objection("invalid-yaml", f"this is not YAML: {error.problem}", None, mark)
