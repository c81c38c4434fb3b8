"""The settings that every retriever of this package has: its requests, and what it chooses."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Discriminator, Field, Tag, model_validator

from biblicus_context.spec.base import (
    NameOrSettings,
    StrictSpec,
    name_or_settings,
    number_or_settings,
)
from biblicus_context.spec.dedupe import SAME_TEXT, Dedupe, DedupeSpec, dedupe_spec

Auto: TypeAlias = Literal["auto"]


class QuerySpec(StrictSpec):
    """What a retriever is asked."""

    template: str | None = Field(
        default=None,
        description="Text with placeholders and Jinja2. Default: input.query, else the user message.",
        examples=["{input.question}"],
    )
    follow_up: bool | Auto = Field(
        default=False,
        description="Add the user's last question of the conversation, so that 'and what about "
        "Team?' is found; `auto`: only to a query that seems to need it.",
        examples=[True, "auto"],
    )
    rewrite: bool = Field(
        default=True, description="Whether the query_rewriter of the program may rewrite it."
    )


QueryReference: TypeAlias = Annotated[
    Annotated[QuerySpec, Tag("<settings>")] | Annotated[str, Tag("<name>")],
    Discriminator(name_or_settings),
]
"""A query as authors write it: a template, or a mapping with options."""


def query_spec(written: QuerySpec | str | None) -> QuerySpec:
    """The query with its options: a text is a template.

    >>> query_spec("{input.question}").template
    '{input.question}'
    """
    return written if isinstance(written, QuerySpec) else QuerySpec(template=written)


Similarity = Annotated[float, Field(ge=0, le=1)]


SimilarityOrAuto = Annotated[
    Annotated[Similarity, Tag("<number>")] | Annotated[Auto, Tag("auto")],
    Discriminator(lambda value: "auto" if value == "auto" else "<number>"),
]


class MinScoreSpec(StrictSpec):
    """How similar to the query a block, or the most similar one, has to be."""

    each: SimilarityOrAuto = Field(
        default=0.0,
        description="Blocks below this similarity are left out. `auto` leaves out what is far from "
        "relevant, by words and meaning together; it needs `best: auto`.",
        examples=[0.2, "auto"],
    )
    best: SimilarityOrAuto = Field(
        default=0.0,
        description="If no block among the first ten is at least this similar, nothing is found. "
        "`auto` decides by words and meaning together: whether the best block is more similar than "
        "queries about something else are to these blocks, and has the rare words of the query.",
        examples=["auto", 0.15],
    )

    @model_validator(mode="after")
    def _decides_first(self) -> Self:
        if self.each == "auto" and self.best != "auto":
            raise ValueError("each: auto needs best: auto")
        return self

    @property
    def least(self) -> float:
        """The similarity that each block needs, as a number."""
        return self.each if isinstance(self.each, float) else 0.0

    @property
    def judges(self) -> bool:
        """Whether words and meaning together decide if anything is relevant."""
        return self.best == "auto"


def _branch(value: object) -> str:
    if value == "auto":
        return "auto"
    return number_or_settings(value)


MinScore = Annotated[
    Annotated[Similarity, Tag("<number>")]
    | Annotated[Auto, Tag("auto")]
    | Annotated[MinScoreSpec, Tag("<settings>")],
    Discriminator(_branch),
]
"""A similarity that each block needs, `auto`, or a mapping with one for the best block."""


def min_score_spec(written: MinScore | None) -> MinScoreSpec | None:
    """Both limits: a number is that of each block.

    >>> min_score_spec(0.3), min_score_spec("auto")
    (MinScoreSpec(each=0.3, best=0.0), MinScoreSpec(each=0.0, best='auto'))
    """
    if written is None or isinstance(written, MinScoreSpec):
        return written
    return MinScoreSpec(best=written) if written == "auto" else MinScoreSpec(each=written)


Share = Annotated[float, Field(gt=0, le=1)]


class ItemCapSpec(StrictSpec):
    """How much of a share one block may use, and what shortens a longer one."""

    share: Share = Field(description="Maximum part of the share for one block.", examples=[0.25])
    compactor: NameOrSettings | None = Field(
        default=None,
        description="Compactor that shortens a longer block: a name, or its settings. Default: the "
        "sentences that matter most for the query stay (extractive).",
        examples=["extractive", {"type": "tail", "mark": "[…] "}],
    )
    cut_note: str | None = Field(
        default=None,
        description="Text written after a block that was shortened; placeholders name facts of the "
        "block. Empty: no note. Default: how many tokens are missing, and where they are.",
        examples=["\n(truncated, see {path}:{lines})"],
    )


ItemCap = Annotated[
    Annotated[Share, Tag("<number>")] | Annotated[ItemCapSpec, Tag("<settings>")],
    Discriminator(number_or_settings),
]
"""A cap as authors write it: the part of the share, or a mapping with options."""


def item_cap_spec(cap: ItemCap | None) -> ItemCapSpec | None:
    """The cap with its options: a number is its part of the share.

    >>> item_cap_spec(0.25).share
    0.25
    """
    return cap if cap is None or isinstance(cap, ItemCapSpec) else ItemCapSpec(share=cap)


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
