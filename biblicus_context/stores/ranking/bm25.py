"""BM25 as FTS5 computes it, over what a search can find in a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.stores.ranking.columns import Columns
from biblicus_context.stores.ranking.needles import Needle, rarity
from biblicus_context.stores.ranking.postings import Postings
from biblicus_context.stores.ranking.visible_blocks import VisibleBlocks
from biblicus_context.stores.results import Bm25
from biblicus_context.stores.words import Stems

Find: TypeAlias = Callable[[Stems], Postings]


_Frequencies: TypeAlias = tuple[Integers, Numbers]
"""Blocks by ordinal, and how often each has a word."""


def scores(
    find: Find, columns: Columns, counted: VisibleBlocks, needles: Sequence[Needle], weights: Bm25
) -> Numbers:
    """The score of every block by ordinal; what a search cannot find neither scores nor counts."""
    total, blocks = np.zeros(len(columns)), counted.blocks
    for needle in needles:
        parts: list[_Frequencies] = []
        for each in needle.spellings:
            found = find(each.stems)
            own = weights.text * found.in_text + weights.heading * found.in_heading
            parts.append((found.ordinals, each.weight * own))
        ordinals, counts = parts[0] if len(parts) == 1 else _merged(parts)
        lengths = columns.table.words[ordinals] / (counted.mean_words or 1.0)
        saturation = weights.k1 * (1.0 - weights.b + weights.b * lengths)
        weight = needle.repeats * rarity(blocks, len(ordinals))
        total[ordinals] += weight * counts * (weights.k1 + 1.0) / (counts + saturation)
    return total


def _merged(parts: Sequence[_Frequencies]) -> _Frequencies:
    """The frequencies of all spellings together."""
    together = np.concatenate([ordinals for ordinals, _ in parts])
    ordinals, places = np.unique(together, return_inverse=True)
    counts = np.concatenate([own for _, own in parts])
    merged = np.bincount(places, weights=counts, minlength=len(ordinals))
    return ordinals, merged.astype(np.float64)
