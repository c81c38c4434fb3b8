"""Texts of exactly so many o200k tokens: English-like, all different, the same for the same seed.

Words are priced once. o200k splits text at word boundaries before it merges anything, so a text
costs the sum of its words, and a text of a wanted length needs no counting while it is written.
"""

from __future__ import annotations

from functools import cache
from random import Random

from benchmarks.counting import count
from benchmarks.vocabulary import FILLING, PATTERNS, WORDS

Piece = tuple[str, int]
"""A bit of text and what it costs in tokens."""

PARAGRAPH = 5
SHORT_SENTENCE = 8
LONGEST_SENTENCE = 60


class Writer:
    """Writes texts of exact lengths, never the same one twice.

    >>> count(Writer(seed=1).text(50))
    50
    """

    def __init__(self, seed: object) -> None:
        self._random = Random(str(seed)).random

    def text(self, tokens: int) -> str:
        """Sentences in paragraphs, of exactly this many tokens (at least two)."""
        parts: list[str] = []
        left, sentences = tokens, 0
        while left:
            gap = _gap(sentences)
            if left > LONGEST_SENTENCE:
                left -= self._add_sentence(parts, gap)
            else:
                left -= self._add_filling(parts, gap, _filling_length(left))
            sentences += 1
        return "".join(parts)

    def _add_sentence(self, parts: list[str], gap: str) -> int:
        first, *others = PATTERNS[int(self._random() * len(PATTERNS))]
        cost = 0
        for pieces in (_opening_pieces(first, gap), *map(_pieces, others)):
            text, price = pieces[int(self._random() * len(pieces))]
            parts.append(text)
            cost += price
        return cost

    def _add_filling(self, parts: list[str], gap: str, tokens: int) -> int:
        """A sentence of one-token words and a full stop."""
        first, *others = FILLING[: tokens - 1]
        for pieces in (_opening_pieces(first, gap), *map(_pieces, others)):
            cheap = _one_token_texts(pieces)
            parts.append(cheap[int(self._random() * len(cheap))])
        parts.append(".")
        return tokens


def _gap(sentences: int) -> str:
    if sentences == 0:
        return ""
    return " " if sentences % PARAGRAPH else "\n\n"


def _filling_length(left: int) -> int:
    """Short sentences until one is left that is neither too long nor too short."""
    return left if left < SHORT_SENTENCE + 2 else min(SHORT_SENTENCE, left - 2)


@cache
def _pieces(name: str) -> tuple[Piece, ...]:
    """What a class puts after the word before it; what is no class stands for itself."""
    if name in WORDS:
        return tuple(_priced(f" {word}") for word in WORDS[name])
    return (_priced(name),)


@cache
def _opening_pieces(name: str, gap: str) -> tuple[Piece, ...]:
    """What a class puts at the start of a sentence; a line break after a full stop is free."""
    words = [f"{word[0].upper()}{word[1:]}" for word in WORDS[name]]
    if gap == " ":
        return tuple(_priced(f" {word}") for word in words)
    return tuple((gap + word, count(word)) for word in words)


@cache
def _one_token_texts(pieces: tuple[Piece, ...]) -> tuple[str, ...]:
    return tuple(text for text, price in pieces if price == 1)


def _priced(text: str) -> Piece:
    return text, count(text)
