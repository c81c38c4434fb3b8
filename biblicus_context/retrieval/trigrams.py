"""How alike two texts are spelt: the share of trigrams that they have in common."""

from __future__ import annotations

import re
from math import inf
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
_MOST_CHARACTERS: Final = 4_000
"""A longer text has so many trigrams that no query is like it."""


def trigrams(text: str, most: float = inf) -> frozenset[str]:
    """Every three letters in a row of its words, with two spaces before each word and one after it.

    It stops a little after `most`: the rest of a long text cannot make it more like a short one.

    >>> sorted(trigrams("Cat"))
    ['  c', ' ca', 'at ', 'cat']
    """
    words = dict.fromkeys(_WORD.findall(text[:_MOST_CHARACTERS].lower()))
    found: set[str] = set()
    for word in words:
        padded = f"  {word} "
        found.update(padded[at : at + 3] for at in range(len(padded) - 2))
        if len(found) > most:
            break
    return frozenset(found)


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Trigrams in both / trigrams in either, as `similarity` of Postgres has it.

    >>> round(likeness(trigrams("word"), trigrams("two words")), 2)
    0.36
    """
    together = len(one | other)
    return len(one & other) / together if together else 0.0
