"""How rare words are in general: a corpus of twenty pages does not know that "back" says less than "Okta"."""

from __future__ import annotations

from functools import lru_cache
from math import log
from typing import Final

from biblicus_context.text.counters.shared import tokens_of

_FREQUENT: Final = 600
"""Numbers of tokens up to here are parts of words, and the most frequent words: they say nothing."""
_OF_SEVERAL: Final = 200_000
"""The number of a word of several tokens, for each of them: that of the last words of the vocabulary."""
_OF_A_DIGIT: Final = 1.2
_LONG: Final = 5
"""Digits of a number that is as rare as a name; a vocabulary has most short ones in pieces."""
_MOST: Final = 50_000


@lru_cache(maxsize=_MOST)
def rarity(word: str) -> float:
    """How rare a word is in general: 0 for the most frequent ones, up to about 7.

    A vocabulary of tokens is ordered by how frequent they are in texts of many languages. What has no
    number of its own, such as a name, is rare.

    >>> rarity("people") < rarity("invoice") < rarity("Okta")
    True
    """
    if word.isdecimal():
        return _OF_A_DIGIT * min(len(word), _LONG)
    numbers = (_number(f" {each}") for each in {word, word.capitalize()})
    return max(0.0, log(min(numbers) / _FREQUENT))


def _number(text: str) -> int:
    tokens = tokens_of(text)
    return tokens[0] + 1 if len(tokens) == 1 else _OF_SEVERAL * len(tokens)
