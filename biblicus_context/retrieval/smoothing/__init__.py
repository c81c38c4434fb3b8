"""Support: a block is scored together with its neighbours, or with the blocks it resembles."""

from biblicus_context.retrieval.smoothing.neighbours import (
    BLOCKS,
    TURNS,
    Kernel,
    Support,
    support_from_neighbours,
)
from biblicus_context.retrieval.smoothing.resemblance import ALONE, Resemblance, add_resemblance
from biblicus_context.retrieval.smoothing.scored_blocks import LENGTH, ScoredBlocks

__all__ = [
    "ALONE",
    "BLOCKS",
    "LENGTH",
    "TURNS",
    "Kernel",
    "Resemblance",
    "ScoredBlocks",
    "Support",
    "add_resemblance",
    "support_from_neighbours",
]
