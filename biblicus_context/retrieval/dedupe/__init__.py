"""Blocks that say the same: the first one stays, and the others name it as their twin."""

from biblicus_context.retrieval.dedupe.twins import NEAR, Entry, Kept, Twin, twins

__all__ = ["NEAR", "Entry", "Kept", "Twin", "twins"]
