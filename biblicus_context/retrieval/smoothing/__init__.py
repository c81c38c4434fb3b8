"""Support: a block is judged with those around it, or with those it resembles."""

from biblicus_context.retrieval.smoothing.kernel import BLOCKS, TURNS, Kernel
from biblicus_context.retrieval.smoothing.neighbours import Support, support_from_neighbours
from biblicus_context.retrieval.smoothing.passes import LENGTH, for_length, lent_by_resemblance
from biblicus_context.retrieval.smoothing.resemblance import ALONE, Resemblance
from biblicus_context.retrieval.smoothing.scored_blocks import Judged

__all__ = [
    "ALONE",
    "BLOCKS",
    "LENGTH",
    "TURNS",
    "Judged",
    "Kernel",
    "Resemblance",
    "Support",
    "for_length",
    "lent_by_resemblance",
    "support_from_neighbours",
]
