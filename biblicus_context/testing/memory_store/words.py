"""Texts cut into stems, and BM25 over them, in plain Python."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from rapidfuzz.distance import OSA

from biblicus_context.stores import Bm25

Stems: TypeAlias = tuple[str, ...]
Spellings: TypeAlias = dict[Stems, float]
"""Ways to write a term, each with how much it counts."""

_LEAST_RARITY = 1e-6


@dataclass(frozen=True, slots=True)
class BlockWords:
    """The stems of a block, in order."""

    text: Stems
    heading: Stems

    @property
    def length(self) -> int:
        """How many there are."""
        return len(self.text) + len(self.heading)

    def holds(self, term: Stems) -> bool:
        """Whether it contains a term."""
        return bool(_times(term, self.text) or _times(term, self.heading))

    def frequency(self, spellings: Spellings, weights: Bm25) -> float:
        """How often it contains a term, in any of its spellings."""
        return sum(
            likeness
            * (
                weights.text * _times(term, self.text)
                + weights.heading * _times(term, self.heading)
            )
            for term, likeness in spellings.items()
        )


@lru_cache(maxsize=4096)
def stems(text: str) -> Stems:
    """The words of a text without accents and the commonest endings."""
    plain = "".join(
        each
        for each in unicodedata.normalize("NFD", text.lower())
        if not unicodedata.combining(each)
    )
    return tuple(map(_stem, re.findall(r"[^\W_]+", plain)))


def _stem(word: str) -> str:
    if word.endswith("ing") and len(word) > 5:
        word = re.sub(r"(.)\1$", r"\1", word[:-3])
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


def _times(term: Stems, words: Stems) -> int:
    size = len(term)
    if size == 1:
        return words.count(term[0])
    return sum(words[n : n + size] == term for n in range(len(words) - size + 1))


def needles(
    terms: Sequence[str], similarity: float | None, blocks: Sequence[BlockWords]
) -> list[Spellings]:
    """The spellings to search for, sorted, as often as the term is given."""
    wanted = sorted(filter(None, map(stems, terms)))
    if similarity is None:
        return [{term: 1.0} for term in wanted]
    known = {stem for each in blocks for stem in each.text + each.heading}
    singles = sorted(stem for term in wanted for stem in term)
    return [_alike(stem, known, similarity) for stem in singles]


def _alike(stem: str, known: Collection[str], similarity: float) -> Spellings:
    scored: Spellings = {(each,): OSA.normalized_similarity(stem, each) for each in sorted(known)}
    alike = {term: score for term, score in scored.items() if score >= similarity}
    return alike | {(stem,): 1.0}


def scores(
    blocks: Sequence[BlockWords], wanted_spellings: Sequence[Spellings], weights: Bm25
) -> list[float]:
    """The BM25 of each block among these blocks."""
    mean = sum(each.length for each in blocks) / len(blocks) if blocks else 0.0
    total = [0.0] * len(blocks)
    for spellings, repeats in _counted(wanted_spellings):
        holding = {
            n for n, each in enumerate(blocks) if any(each.holds(term) for term in spellings)
        }
        odds = (len(blocks) - len(holding) + 0.5) / (len(holding) + 0.5)
        rarity = repeats * max(math.log(odds), _LEAST_RARITY)
        for n in sorted(holding):
            frequency = blocks[n].frequency(spellings, weights)
            length = blocks[n].length / (mean or 1.0)
            saturation = weights.k1 * (1.0 - weights.b + weights.b * length)
            if frequency:
                total[n] += rarity * frequency * (weights.k1 + 1.0) / (frequency + saturation)
    return total


def _counted(wanted_spellings: Sequence[Spellings]) -> list[tuple[Spellings, int]]:
    counts = Counter(tuple(sorted(each.items())) for each in wanted_spellings)
    return [(dict(each), repeats) for each, repeats in counts.items()]
