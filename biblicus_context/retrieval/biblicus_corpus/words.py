"""A question in words, for retrievers that hand it to SQLite as they find it."""

from __future__ import annotations

import re
from typing import Final

from biblicus_context.retrieval.biblicus_corpus.protocols import Configuration

_FULL_TEXT: Final = "sqlite-full-text-search"
_INSIDE_A_WORD: Final = re.compile(r"(?<=\S)[^\w\s\x80-\U0010ffff](?=\S)")
"""Marks that SQLite reads as syntax; Biblicus itself strips those at the ends of a word."""


def words_of(query: str, asked: Configuration) -> str:
    """The query without marks inside its words, where SQLite would read them as operators.

    It keeps words apart at such marks when it indexes a text, so "what's" is found as before.
    """
    return _INSIDE_A_WORD.sub(" ", query) if _asks_sqlite(asked) else query


def _asks_sqlite(asked: Configuration) -> bool:
    lexical = (
        asked.configuration.get("lexical_retriever") if asked.retriever_id == "hybrid" else None
    )
    return _FULL_TEXT in (asked.retriever_id, lexical)
