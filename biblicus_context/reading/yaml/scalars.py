"""Unquoted words become values by the rules YAML 1.2 and JSON share."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

from biblicus_context.reading.mistakes import Mistake

Scalar = str | int | float | bool | None

_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_UNCLEAR = re.compile(
    r"[-+]?0[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_MAX_INTEGER = 2**63 - 1
_MAX_INTEGER_LENGTH = len(str(-_MAX_INTEGER))


class Unclear(NamedTuple):
    """A word that readers of YAML take for different numbers."""

    mistake: Mistake
    problem: str
    fix: str


def plain_scalar(word: str) -> Scalar | Unclear:
    """The value of an unquoted word.

    >>> [plain_scalar(word) for word in ("true", "yes", "12:30", "2024-01-01", "1e3", "~")]
    [True, 'yes', '12:30', '2024-01-01', 1000.0, None]
    >>> plain_scalar("010").problem
    'ambiguous number that YAML readers interpret differently'
    """
    if word in _WORDS:
        return _WORDS[word]
    if word[0] not in "+-.0123456789":
        return word
    if _UNCLEAR.fullmatch(word):
        return Unclear(
            "ambiguous-number",
            "ambiguous number that YAML readers interpret differently",
            "Write a decimal number without leading zeros, or put it in quotes to make it text.",
        )
    return _number(word) if _NUMBER.fullmatch(word) else word


def _number(word: str) -> int | float | Unclear:
    if word.lstrip("+-").isdecimal():
        whole = int(word) if len(word) <= _MAX_INTEGER_LENGTH else math.inf
        number: int | float = whole if abs(whole) <= _MAX_INTEGER else math.inf
    else:
        number = float(word)
    if math.isinf(number):
        problem = "the number is too large"
        fix = "Write a smaller number, or put it in quotes to make it text."
        return Unclear("number-too-large", problem, fix)
    return number
