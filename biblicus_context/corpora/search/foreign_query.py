"""Queries in a language that an embedder does not know: its vectors say little about them."""

from __future__ import annotations

from biblicus_context.embedders import Embedder, languages_of
from biblicus_context.retrieval.analysis.language import NAMES, sure_language_of


def foreign_language(query: str, embedder: Embedder) -> str | None:
    """The language of a query, where it is sure, and none of those that the embedder names."""
    known = languages_of(embedder)
    if known is None:
        return None
    language = sure_language_of(query)
    return None if language in known else language


def foreign_query(query: str, embedder: Embedder) -> str | None:
    """What a receipt says of such a query."""
    language = foreign_language(query, embedder)
    if language is None:
        return None
    return (
        f"the query seems to be in {NAMES[language]}, which the embedder '{embedder.model}' does not know: "
        "words count more than vectors. Use an embedder for this language"
    )
