"""The words of a text that is ranked: several components need them, and texts come again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from biblicus_context.retrieval.analysis import query_terms


class TextWords(NamedTuple):
    """The words of a text."""

    counts: Mapping[str, int]
    """How often it has each word that is worth searching for."""
    every: frozenset[str]
    """All words, function words too."""


@lru_cache(maxsize=1024)
def words_of(text: str) -> TextWords:
    """The words of a text; splitting it again for each component took half of a ranking.

    >>> words_of("The lamp and the lamp").counts
    Counter({'lamp': 2})
    """
    return TextWords(Counter(query_terms(text)), frozenset(query_terms(text, ())))
