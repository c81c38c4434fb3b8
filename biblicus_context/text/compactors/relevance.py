"""How much each sentence matters, for a question or for the text itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt
from typing import Final, TypeAlias
from unicodedata import normalize

from biblicus_context.text.cutting.cutting import UNSPACED

Bag: TypeAlias = "Counter[str]"

_SATURATION: Final = 1.2
_LENGTH_WEIGHT: Final = 0.5
_STEM_WEIGHT: Final = 0.5
_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_RUNS: Final = re.compile(f"([{UNSPACED}]+)|((?:[^\\W_{UNSPACED}]|[{_MARKS}])+)")
_STEM: Final = 5


@dataclass(frozen=True, slots=True)
class Statistics:
    """The number of sentences that each word occurs in."""

    sentences: Sequence[Bag]
    occurrences: Bag

    @classmethod
    def of(cls, sentences: Sequence[Bag]) -> Statistics:
        """The statistics of some sentences."""
        return cls(sentences, Counter(word for bag in sentences for word in bag))

    def rarity(self, word: str) -> float:
        """The weight of a word: higher if fewer sentences have it."""
        having = self.occurrences[word]
        return log(1 + (len(self.sentences) - having + 0.5) / (having + 0.5))


def words(text: str) -> list[str]:
    """The words of a text in lower case; pairs of characters for scripts without spaces.

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
    """The start of a word, so that "policy" and "policies" are alike."""
    return word[:_STEM]


def for_question(sentences: Sequence[Sequence[str]], question: Sequence[str]) -> list[float]:
    """The BM25 score of each sentence; words that only begin alike count half."""
    exact = _bm25([Counter(words) for words in sentences], set(question))
    alike = _bm25(
        [Counter(map(stem, words)) for words in sentences], {stem(word) for word in question}
    )
    return [a + _STEM_WEIGHT * b for a, b in zip(exact, alike, strict=True)]


def for_itself(sentences: Sequence[Sequence[str]]) -> list[float]:
    """How central each sentence is (its cosine with the sum of all)."""
    statistics = Statistics.of([Counter(words) for words in sentences])
    rarity = {word: statistics.rarity(word) for word in statistics.occurrences}
    middle: dict[str, float] = {}
    for bag in statistics.sentences:
        for word, times in bag.items():
            middle[word] = middle.get(word, 0.0) + times * rarity[word]
    scores: list[float] = []
    for bag in statistics.sentences:
        weights = {word: times * rarity[word] for word, times in bag.items()}
        length = sqrt(sum(weight * weight for weight in weights.values()))
        product = sum(weight * middle[word] for word, weight in weights.items())
        scores.append(product / length if length else 0.0)
    return scores


def _bm25(sentences: Sequence[Bag], question: set[str]) -> list[float]:
    statistics = Statistics.of(sentences)
    lengths = [bag.total() for bag in sentences]
    mean = sum(lengths) / max(1, len(lengths)) or 1.0
    asked = [
        (word, statistics.rarity(word)) for word in sorted(question) if statistics.occurrences[word]
    ]
    scores: list[float] = []
    for bag, length in zip(sentences, lengths, strict=True):
        damping = _SATURATION * (1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * length / mean)
        scores.append(
            sum(
                rarity * bag[word] * (_SATURATION + 1) / (bag[word] + damping)
                for word, rarity in asked
                if word in bag
            )
        )
    return scores
