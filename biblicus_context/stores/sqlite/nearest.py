"""Blocks by the cosine of their embeddings with a query's."""

from __future__ import annotations

from biblicus_context.stores.sqlite.arrays import np
from biblicus_context.stores.sqlite.columns import Columns, Integers, Numbers
from biblicus_context.stores.sqlite.matrix import Matrix, Rows
from biblicus_context.stores.sqlite.ranking import best
from biblicus_context.stores.sqlite.seen import Flags


def nearest(
    matrix: Matrix, columns: Columns, flags: Flags, query: Rows, wanted: int
) -> tuple[Integers, Numbers]:
    """Ordinals and cosines of the best, all that tie with the last of them among them."""
    ordinals = columns.ordinals[matrix.blocks]
    numbers = np.flatnonzero(flags[ordinals] & (ordinals >= 0))
    cosines = matrix.cosines(query)[numbers]
    kept = best(cosines, wanted)
    return ordinals[numbers[kept]], cosines[kept]
