"""What the fields of records say, and the marks that a context is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

_ENDS: Final = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""Whatever may be taken for the end of a line."""
_CODE: Final = re.compile(r"^(```|~~~)[^\n`]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
_FIGURES: Final = re.compile(r"\b[0-9a-f]{8}\b")
_UNSEEN: Final = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x9f\xad\u034f\u115f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff]"
)
_SPACES: Final = re.compile(r"[\xa0\u2000-\u200a\u202f\u205f\u2800\u3000]")
_BRACKETS: Final = re.compile(r"^\[.*\]")


class Refused(Exception):  # noqa: N818 - it is no error
    """A system returned a failure of one of its types."""


class Said:
    """The text of each field: a given one, or a word of its own."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self.fields: set[str] = set()

    def __call__(self, field: str) -> str:
        """The text of a field."""
        self.fields.add(field)
        return self._texts.get(field, f"word of {field}")


class Written(NamedTuple):
    """A context: the lines that are marks, without what differs, and how many items there are."""

    structure: tuple[str, ...]


def marks(text: str, pattern: re.Pattern[str], *items: object) -> Written:
    """The marks in a text as it looks: what the pattern finds at the start of lines outside blocks of code."""
    seen = _SPACES.sub(" ", _UNSEEN.sub("", _CODE.sub("```code", text)))
    lines = _ENDS.split(seen)
    found = [match[0] for line in lines if (match := pattern.match(line))]
    known = (_BRACKETS.sub("[]", _FIGURES.sub("id", each)) for each in found)
    return Written((*known, *map(str, items)))


HEADINGS: Final = (
    r"[ \t]*(?:(?:>|[-*+]|\d+[.)])[ \t]+)*#{1,6}(?:[ \t]|$)|[ \t]*(?:<(?i:h[1-6]|b|strong)\b)|[ \t]*(?:__\w|\*{3}\w)"
    r"|[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|=+[ \t]*)$"
    r"|[ \t]*(?:```|~~~|<[!?]|<(?i:script|style|pre|textarea)\b)"
)
"""What Markdown reads as a heading or a rule, or as code or HTML that reaches to an end of its own."""
