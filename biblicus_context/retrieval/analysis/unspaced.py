"""Scripts without spaces between words: their words are searched as pairs of characters."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from biblicus_context.text.cutting.cutting import UNSPACED

_RUN: Final = re.compile(f"[{UNSPACED}]{{2,}}")


def pairs(run: str) -> list[str]:
    """Every two adjacent characters; the run itself if it has only one.

    >>> pairs("東京都")
    ['東京', '京都']
    """
    return [first + second for first, second in pairwise(run)] or [run]


def all_pairs(text: str) -> str:
    """The pairs of every run of such characters, with spaces between them.

    >>> all_pairs("Tokyo (東京都) 2")
    '東京 京都'
    """
    if text.isascii():
        return ""
    return " ".join(pair for run in _RUN.findall(text) for pair in pairs(run))
