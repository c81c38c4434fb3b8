"""The settings of every retriever over a corpus."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from biblicus_context.spec.base import NameOrSettings, Settings, StrictSpec
from biblicus_context.spec.dedupe import SAME_TEXT, Dedupe, DedupeSpec, dedupe_spec
from biblicus_context.spec.item_cap import ItemCap
from biblicus_context.spec.min_score import MinScore
from biblicus_context.spec.query import QueryReference
from biblicus_context.spec.retriever_settings.cache import CacheSpec
from biblicus_context.spec.retriever_settings.shown import (
    EvidenceFormatSpec,
    ExcerptSpec,
    Neighbours,
    NeighboursSpec,
)

SimilarityBy: TypeAlias = Literal["vectors", "words", "score"]


class SearchSpec(StrictSpec):
    """Settings of every retriever over a corpus."""

    retriever_id: str = Field(description="Kind of retriever.")
    corpus: str | None = Field(default=None, description="Corpus; overrides the declaration's.")
    query: QueryReference | None = Field(
        default=None,
        description="Query: text with placeholders and Jinja2, or {template: ..., follow_up: true}. "
        "Default: input.query, else the user message.",
        examples=["{input.question}", {"follow_up": True}],
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        description="Number of blocks in one request at most; absent: the blocks that fill the "
        "share, 3 without a budget.",
    )
    offset: int = Field(default=0, ge=0, description="Number of blocks to skip.")
    maximum_total_characters: int | None = Field(
        default=None, ge=1, description="Maximum number of characters."
    )
    join_with: str = Field(default="\n\n", description="Text between two blocks.")
    filters: Settings = Field(
        default_factory=dict,
        description="Conditions on the documents to search.",
        examples=[{"path": "guides/**", "tags": ["public"]}],
    )
    rank: NameOrSettings | None = Field(
        default=None,
        description="Rerank the hits by similarity, recency, confidence, or components "
        "with their weights.",
        examples=["recency", {"similarity": 2, "recency": {"weight": 1, "curve": "linear"}}],
    )
    rank_window: int = Field(
        default=500,
        ge=1,
        le=10_000,
        description="Number of hits that rank orders at once, the best ones first; further hits "
        "follow in groups of this size.",
        examples=[50],
    )
    dedupe: Dedupe | None = Field(
        default=None,
        description="Which duplicate blocks are dropped: those with the same text (default), "
        "near-duplicates as well (true), or none (false).",
        examples=[True, False, {"near": 0.8}],
    )
    select: NameOrSettings = Field(
        default="rank_order",
        description="How blocks are selected for the share: rank_order, value_per_token, knapsack, diverse_kinds or "
        "marginal_relevance.",
        examples=["knapsack", {"type": "diverse_kinds", "share": 0.4}],
    )
    item_cap: ItemCap | None = Field(
        default=None,
        description="Maximum part of the share for one block, or {share: ..., compactor: ..., "
        "cut_note: ...}; longer blocks are shortened.",
        examples=[0.5, {"share": 0.25, "cut_note": "\n(truncated, see {path}:{lines})"}],
    )
    min_score: MinScore | None = Field(
        default=None,
        description="Similarity to the query, from 0 to 1, that each block needs, or "
        "{each: ..., best: ...}: without a block as similar as `best`, nothing is found.",
        examples=[0.3, {"best": 0.4}],
    )
    neighbours: Neighbours = Field(
        default_factory=NeighboursSpec,
        description="Number of blocks around each hit to include as one passage.",
        examples=[1, {"turns": 3}],
    )
    excerpt: ExcerptSpec | None = Field(
        default=None,
        description="Show of each block only the part around the words of the query.",
        examples=[{"tokens": 60, "marks": ["<<<", ">>>"]}],
    )
    cache: CacheSpec | None = Field(
        default=None,
        description="Remember answers, by principal, settings, query and version of the corpus.",
        examples=[{"ttl_seconds": 60}],
    )
    index: Literal["complete", "partial"] | None = Field(
        default=None,
        description="Whether an index that is still being made, or whose making was interrupted, is "
        "an error (complete) or searched with a warning in the receipt (partial). Default: the "
        "corpus' own setting.",
        examples=["partial"],
    )
    format: EvidenceFormatSpec = Field(
        default_factory=EvidenceFormatSpec,
        description="How the text of a block is written.",
        examples=[{"speakers": True}],
    )
    maximum_items_per_source: int | None = Field(
        default=None, ge=1, description="Maximum number of blocks of one document."
    )
    include_metadata: bool = Field(
        default=False, description="Include the metadata of documents and blocks."
    )
    metadata_fields: tuple[str, ...] | None = Field(
        default=None,
        strict=False,  # files have lists
        description="Metadata fields to include. Default: all.",
        examples=[["author", "version"]],
    )

    @property
    def duplicates(self) -> DedupeSpec | None:
        """Of which blocks only the best stays; None: all of them stay."""
        return dedupe_spec(self.dedupe, usual=SAME_TEXT)

    @property
    def compares_vectors(self) -> bool:
        """Whether the corpus' embedder is asked."""
        return False

    @property
    def similarity_by(self) -> SimilarityBy:
        """What `min_score` compares: cosines of vectors, shares of words, or the scores as they are."""
        return "vectors" if self.compares_vectors else "score"

    @property
    def depends_on_activity(self) -> bool:
        """Whether the same query may find something else once the user edited or viewed a document."""
        return "affinity" in str(self.rank)

    @property
    def depends_on_time(self) -> bool:
        """Whether the same query may find something else although no document changed."""
        return False
