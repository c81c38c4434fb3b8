"""The settings of the retrievers that search a corpus of this package."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from biblicus_context.spec.base import Settings, Spec


class SearchSpec(Spec):
    """What every retriever over a corpus may say."""

    corpus: str | None = Field(default=None, description="Instead of the declaration's corpus.")
    query: str | None = Field(
        default=None,
        description="What is asked: text with placeholders; absent: input.query or the message.",
        examples=["{input.question}"],
    )
    limit: int = Field(default=3, ge=1, description="Blocks asked for in one request.")
    offset: int = Field(default=0, ge=0, description="Blocks skipped before the first.")
    maximum_total_characters: int | None = Field(
        default=None, ge=1, description="Characters asked for at most."
    )
    join_with: str = Field(default="\n\n", description="What stands between two blocks.")
    filters: Settings = Field(
        default_factory=dict,
        description="Which documents are searched.",
        examples=[{"path": "guides/**", "tags": ["public"]}],
    )
    maximum_items_per_source: int | None = Field(
        default=None, ge=1, description="Blocks of one document at most."
    )
    include_metadata: bool = Field(
        default=False, description="Hand on what the document and the block say of themselves."
    )
    metadata_fields: tuple[str, ...] | None = Field(
        default=None, description="Only these of their fields.", examples=[["author", "version"]]
    )


class KeywordSpec(SearchSpec):
    """Blocks that hold the words of the query, by BM25."""

    retriever_id: Literal["keyword"] = Field(description="Which retriever it is.")


class FuzzySpec(SearchSpec):
    """As keyword, also where words are spelt a little differently."""

    retriever_id: Literal["fuzzy"] = Field(description="Which retriever it is.")
    similarity: float = Field(
        default=0.75, gt=0, le=1, description="How alike two words have to be."
    )


class VectorSpec(SearchSpec):
    """Blocks whose meaning is nearest to the query's."""

    retriever_id: Literal["vector"] = Field(description="Which retriever it is.")


class HybridSpec(SearchSpec):
    """Words and meaning together, with support from neighbours and from what resembles."""

    retriever_id: Literal["hybrid"] = Field(description="Which retriever it is.")
    candidates: int = Field(
        default=200, ge=1, description="Blocks that each of its two searches contributes at most."
    )
    turn_candidates: int = Field(
        default=500, ge=1, description="As candidates, where turns of conversations are among them."
    )
    text_weight: float = Field(default=1.0, ge=0, description="What the words count.")
    vector_weight: float = Field(
        default=0.7, ge=0, description="What the meaning counts; about 1.5 for a contextual model."
    )


class RecentSpec(SearchSpec):
    """Blocks of the documents changed last, whatever is asked."""

    retriever_id: Literal["recent"] = Field(description="Which retriever it is.")


RetrieverSpec = Annotated[
    KeywordSpec | FuzzySpec | VectorSpec | HybridSpec | RecentSpec,
    Field(discriminator="retriever_id"),
]
