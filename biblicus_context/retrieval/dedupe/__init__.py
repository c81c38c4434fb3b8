"""Blocks that say the same: the first one stays, and the others name it as their twin."""

from biblicus_context.retrieval.dedupe.candidates import Deduplicated, deduplicated
from biblicus_context.retrieval.dedupe.twins import NEAR, Entry, Twin, twins

__all__ = ["NEAR", "Deduplicated", "Entry", "Twin", "deduplicated", "twins"]
