"""Retrievers that compare words and their spelling."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from biblicus_context.spec.retriever_settings.search import SearchSpec, SimilarityBy


class KeywordSpec(SearchSpec):
    """Blocks with the words of the query, ranked by BM25."""

    retriever_id: Literal["keyword"] = Field(description="Kind of retriever.")
    phrases: bool = Field(
        default=False,
        description="What the query has in quotes is searched as a phrase as well.",
    )

    @property
    def similarity_by(self) -> SimilarityBy:
        """Its own scores have no upper end."""
        return "words"


class FuzzySpec(SearchSpec):
    """Like keyword, but tolerates spelling differences."""

    retriever_id: Literal["fuzzy"] = Field(description="Kind of retriever.")
    similarity: float = Field(
        default=0.75, gt=0, le=1, description="Minimum similarity of two words."
    )

    @property
    def similarity_by(self) -> SimilarityBy:
        """Its own scores have no upper end."""
        return "words"


class TrigramSpec(SearchSpec):
    """Blocks whose path, title or text is spelt like the query, or like a file name in it."""

    retriever_id: Literal["trigram"] = Field(description="Kind of retriever.")
    similarity: float = Field(
        default=0.3, ge=0, le=1, description="Share of trigrams in common; more than this is found."
    )
    word_similarity: float = Field(
        default=0.6,
        gt=0,
        le=1,
        description="Minimum similarity of a word that no block has to one that some have.",
    )
    candidates: int = Field(
        default=50,
        ge=1,
        le=10_000,
        description="Number of blocks that are compared, for known and for unknown words each.",
    )
