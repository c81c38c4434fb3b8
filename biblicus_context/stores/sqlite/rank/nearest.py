"""Blocks by the cosine of their embeddings with a query's."""

from __future__ import annotations

from biblicus_context.base.arrays import Flags, Numbers
from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.rank.columns import Columns
from biblicus_context.stores.sqlite.rank.matrix import Matrix
from biblicus_context.stores.sqlite.rank.ranking import Scored, best


def nearest(
    matrix: Matrix, columns: Columns, flags: Flags, cosines: Numbers, wanted: int
) -> Scored:
    """The best by their cosines, all that tie with the last of them among them."""
    ordinals = columns.ordinals_of(matrix.blocks)
    numbers = np.flatnonzero(flags[ordinals] & (ordinals >= 0))
    visible = cosines[numbers]
    kept = best(visible, wanted)
    return Scored(matrix.blocks[numbers[kept]], visible[kept])
