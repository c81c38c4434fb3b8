"""Blocks that say the same: the first one stays, the others are its duplicates."""

from biblicus_context.retrieval.duplicates.duplicates import (
    NEAR,
    Duplicate,
    KeptTexts,
    TextEntry,
    find_duplicates,
)

__all__ = ["NEAR", "Duplicate", "KeptTexts", "TextEntry", "find_duplicates"]
