"""Support: a block is judged with those around it, or with those it resembles."""

from biblicus_context.retrieval.smoothing.evidence import (
    LENGTH,
    Standing,
    for_length,
    lent_by_neighbours,
    lent_by_resemblance,
    standing_alone,
)
from biblicus_context.retrieval.smoothing.kernel import BLOCKS, TURNS, Kernel
from biblicus_context.retrieval.smoothing.likeness import ALONE, Resemblance
from biblicus_context.retrieval.smoothing.place import Spot, support_from_neighbours

__all__ = [
    "ALONE",
    "BLOCKS",
    "LENGTH",
    "TURNS",
    "Kernel",
    "Resemblance",
    "Spot",
    "Standing",
    "for_length",
    "lent_by_neighbours",
    "lent_by_resemblance",
    "standing_alone",
    "support_from_neighbours",
]
