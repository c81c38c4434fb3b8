"""The settings that every retriever of this package has: its requests, and what it chooses."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import NameOrSettings, StrictSpec
from biblicus_context.spec.dedupe import SAME_TEXT, Dedupe, DedupeSpec, dedupe_spec
from biblicus_context.spec.item_cap import ItemCap
from biblicus_context.spec.min_score import MinScore
from biblicus_context.spec.query import QueryReference


class RequestSpec(StrictSpec):
    """What the requests of a retriever have in common, also of one of another library."""

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
        "share for a retriever over a corpus, 3 for any other and without a budget.",
    )
    maximum_total_characters: int | None = Field(
        default=None, ge=1, description="Maximum number of characters."
    )
    join_with: str = Field(default="\n\n", description="Text between two blocks.")


class ChoosingSpec(RequestSpec):
    """Which of the blocks that were found go into a pack; the same for one source and for several."""

    rank: NameOrSettings | None = Field(
        default=None,
        description="Rerank the blocks by one component, such as recency, or by several with their "
        "weights.",
        examples=["recency", {"similarity": 2, "recency": {"weight": 1, "curve": "linear"}}],
    )
    min_score: MinScore | None = Field(
        default=None,
        description="Similarity to the query, from 0 to 1, that each block needs, or "
        "{each: ..., best: ...}: without a block as similar as `best`, nothing is found. `auto` finds "
        "nothing where nothing is relevant, by words and meaning together. A combined retriever passes "
        "it on to each source that has none of its own.",
        examples=["auto", 0.3, {"best": 0.4}],
    )
    dedupe: Dedupe | None = Field(
        default=None,
        description="Which duplicate blocks are dropped: those with the same text (default), "
        "near-duplicates as well (true), or none (false).",
        examples=[True, False, {"near": 0.8}],
    )
    maximum_items_per_source: int | None = Field(
        default=None, ge=1, description="Maximum number of blocks of one document."
    )
    select: NameOrSettings = Field(
        default="rank_order",
        description="How blocks are selected for the share: rank_order, value_per_token, knapsack, "
        "diverse_kinds or marginal_relevance.",
        examples=["knapsack", {"type": "diverse_kinds", "share": 0.4}],
    )
    item_cap: ItemCap | None = Field(
        default=None,
        description="Maximum part of the share for one block, or {share: ..., compactor: ..., "
        "cut_note: ...}; a longer block is shortened. Default: 1, so that a block that is longer than "
        "the whole share is shortened as well.",
        examples=[0.5, {"share": 0.25, "cut_note": "\n(truncated, see {path}:{lines})"}],
    )

    @property
    def duplicates(self) -> DedupeSpec | None:
        """Of which blocks only the best stays; None: all of them stay."""
        return dedupe_spec(self.dedupe, usual=SAME_TEXT)
