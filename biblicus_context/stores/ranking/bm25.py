"""BM25 as FTS5 computes it, over what a search can find in a version."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.stores.ranking.columns import Columns
from biblicus_context.stores.ranking.needles import Needle, Spelling, rarity
from biblicus_context.stores.ranking.postings import Postings
from biblicus_context.stores.ranking.visible_blocks import VisibleBlocks
from biblicus_context.stores.results import Bm25
from biblicus_context.stores.words import Stems

Find: TypeAlias = Callable[[Stems], Postings]


class _Frequencies(NamedTuple):
    ordinals: Integers
    counts: Numbers


def scores(
    find: Find, columns: Columns, counted: VisibleBlocks, needles: Sequence[Needle], weights: Bm25
) -> Numbers:
    """The score of every block by ordinal; what a search cannot find neither scores nor counts."""
    total = np.zeros(len(columns))
    for needle in needles:
        found = _merged([_weighted(find(each.stems), each, weights) for each in needle.spellings])
        lengths = columns.table.words[found.ordinals] / (counted.mean_words or 1.0)
        saturation = weights.k1 * (1.0 - weights.b + weights.b * lengths)
        weight = needle.repeats * rarity(counted.blocks, len(found.ordinals))
        total[found.ordinals] += (
            weight * found.counts * (weights.k1 + 1.0) / (found.counts + saturation)
        )
    return total


def _weighted(found: Postings, spelling: Spelling, weights: Bm25) -> _Frequencies:
    counts = weights.text * found.in_text + weights.heading * found.in_heading
    return _Frequencies(found.ordinals, spelling.weight * counts)


def _merged(parts: Sequence[_Frequencies]) -> _Frequencies:
    """The frequencies of all spellings together."""
    if len(parts) == 1:
        return parts[0]
    together = np.concatenate([part.ordinals for part in parts])
    ordinals, places = np.unique(together, return_inverse=True)
    counts = np.concatenate([part.counts for part in parts])
    merged = np.bincount(places, weights=counts, minlength=len(ordinals))
    return _Frequencies(ordinals, merged.astype(np.float64))
