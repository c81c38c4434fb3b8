"""What a text search looks for, and how much a term weighs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from biblicus_context.stores.words import Stems

_LEAST_RARITY: Final = 1e-6
"""The weight of a stem that is in most blocks, as in FTS5: never zero, never negative."""


class Spelling(NamedTuple):
    """One way to write a term, and how much an occurrence of it counts."""

    stems: Stems
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Needle:
    """A term to search for: all of its spellings count as one word."""

    spellings: tuple[Spelling, ...]
    repeats: int = 1


def exact_needles(terms: Sequence[Stems]) -> list[Needle]:
    """The terms as they are, sorted: sums of floats depend on their order, scores must not on the terms'."""
    return [
        Needle((Spelling(stems),), repeats) for stems, repeats in sorted(Counter(terms).items())
    ]


def rarity(blocks: int, holding: int) -> float:
    """How much a term weighs that is in some of the blocks."""
    return max(math.log((blocks - holding + 0.5) / (holding + 0.5)), _LEAST_RARITY)
