"""The words by which two texts are compared."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final
from unicodedata import normalize

from biblicus_context.text.cutting.cutting import UNSPACED

_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_RUNS: Final = re.compile(f"([{UNSPACED}]+)|((?:[^\\W_{UNSPACED}]|[{_MARKS}])+)")
_STEM: Final = 5


def words(text: str) -> list[str]:
    """The words of a text, without case; pairs of characters where a script has no spaces.

    >>> words("Größe XL, 東京都")
    ['grösse', 'xl', '東京', '京都']
    """
    found: list[str] = []
    for unspaced, word in _RUNS.findall(normalize("NFKC", text).casefold()):
        if word:
            found.append(word)
        else:
            found += [a + b for a, b in pairwise(unspaced)] or [unspaced]
    return found


def stem(word: str) -> str:
    """The start of a word, by which "policy" and "policies" are alike."""
    return word[:_STEM]
