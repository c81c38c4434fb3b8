"""A combined retriever: several retrievers asked side by side, ranked and selected together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Never, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from biblicus_context.spec.base import NameOrSettings, Settings, StrictSpec
from biblicus_context.spec.dedupe import SAME_TEXT, Dedupe, DedupeSpec, dedupe_spec
from biblicus_context.spec.item_cap import ItemCap
from biblicus_context.spec.min_score import MinScore
from biblicus_context.spec.query import QueryReference
from biblicus_context.spec.retriever_settings.shown import EvidenceFormatSpec

COMBINED: Final = "combined"
"""The `retriever_id` of a combined retriever."""
OF_SOURCES: Final = frozenset(
    {"name", "weight", "limit", "on_error", "timeout_seconds", "guarantee"}
)
"""The options of a source; everything else next to a `retriever_id` is a setting of that retriever."""
PASSED_ON: Final = ("corpus", "filters", "format")
"""In files, settings that a combined retriever passes on to its sources."""


class SourceSpec(StrictSpec):
    """One source of a combined retriever: the name of a retriever, or settings with a `retriever_id`."""

    model_config = ConfigDict(extra="allow")

    name: str = Field(
        min_length=1,
        description="A declared retriever, or one that is passed from Python. With a retriever_id, "
        "the name that the receipt uses; absent: the retriever_id.",
        examples=["kb_search"],
    )
    retriever_id: str | None = Field(
        default=None,
        description="Kind of a retriever that is declared here; its settings are next to it.",
    )
    like: str | None = Field(
        default=None,
        min_length=1,
        description="In files: another retriever of the same file; the source has its corpus and each "
        "setting of its config, except those that are set here.",
        examples=["kb_search"],
    )
    weight: float = Field(
        default=1.0, gt=0, le=1e6, description="How much this source counts relative to others."
    )
    limit: int | None = Field(
        default=None, ge=1, description="Number of blocks that this source offers at most."
    )
    on_error: Literal["fail", "skip"] = Field(
        default="fail",
        description="What to do if this source fails: raise an error, or use the other sources.",
    )
    timeout_seconds: float | None = Field(
        default=None,
        gt=0,
        description="Time limit of one request to this source. Default: that of the pack.",
    )
    guarantee: int = Field(
        default=0,
        ge=0,
        description="Number of blocks of this source, the best ones, that stay before all others.",
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: object) -> object:
        if isinstance(value, str):
            return {"name": value}
        if isinstance(value, Mapping) and "name" not in value and "retriever_id" in value:
            return {**value, "name": value["retriever_id"]}
        return value

    @model_validator(mode="after")
    def _has_an_id_for_its_settings(self) -> Self:
        if self.like is not None:  # files are read without it
            raise ValueError("'like' is a key of files; pass all settings of the source")
        unknown = sorted(self.settings)
        if self.retriever_id is None and unknown:
            raise ValueError(
                f"'{unknown[0]}' is not an option of a source; settings of a retriever need a "
                "retriever_id next to them"
            )
        return self

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of a retriever that is declared here, without those of the source."""
        return self.model_extra or {}

    @property
    def config(self) -> Mapping[str, Any]:
        """The `config` of a retriever that is declared here."""
        return {"retriever_id": self.retriever_id, **self.settings}


def _listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _each_once(sources: tuple[SourceSpec, ...]) -> tuple[SourceSpec, ...]:
    names = [source.name for source in sources]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise ValueError(f"the source '{name}' is named twice")
    return sources


Sources = Annotated[tuple[SourceSpec, ...], BeforeValidator(_listed), AfterValidator(_each_once)]
"""Each source has a name of its own: the receipt names them."""


class CombinedSpec(StrictSpec):
    """Several retrievers, asked side by side; their blocks are ranked and selected together."""

    retriever_id: Literal["combined"] = Field(description="Kind of retriever.")
    of: Sources = Field(
        min_length=1,
        max_length=64,
        description="The sources: names of retrievers, or mappings with options.",
        examples=[["kb_search", {"name": "tickets", "weight": 2, "on_error": "skip"}]],
    )
    corpus: str | None = Field(
        default=None,
        description="In files: corpus of each source without its own; all are declared in place.",
    )
    filters: Settings = Field(
        default_factory=dict,
        description="In files: filters of each source without its own; all are declared in place.",
        examples=[{"path": "guides/**"}],
    )
    format: EvidenceFormatSpec = Field(
        default_factory=EvidenceFormatSpec,
        description="In files: format of each source without its own; all are declared in place.",
        examples=[{"speakers": True}],
    )
    query: QueryReference | None = Field(
        default=None,
        description="Query of the sources that have none of their own. "
        "Default: input.query, else the user message.",
        examples=["{input.question}"],
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        description="Number of blocks in one request at most; absent: the blocks that fill the "
        "share, 3 without a budget.",
    )
    maximum_total_characters: int | None = Field(
        default=None, ge=1, description="Maximum number of characters."
    )
    join_with: str = Field(default="\n\n", description="Text between two blocks.")
    fusion: NameOrSettings = Field(
        default="reciprocal_rank",
        description="How the scores of different sources become one: reciprocal_rank, "
        "standard_scores, weighted_scores or given_scores.",
        examples=["given_scores", {"type": "reciprocal_rank", "constant": 20}],
    )
    rank: NameOrSettings | None = Field(
        default=None,
        description="Rerank all blocks by similarity, recency, confidence, or components "
        "with their weights.",
        examples=[{"similarity": 0.5, "recency": 0.3, "importance": 0.2}],
    )
    dedupe: Dedupe | None = Field(
        default=None,
        description="Which duplicate blocks are dropped: those with the same text (default), "
        "near-duplicates as well (true), or none (false).",
        examples=[True, False, {"near": 0.8}],
    )
    select: NameOrSettings = Field(
        default="rank_order",
        description="How blocks are selected for the share, as for other retrievers.",
        examples=["knapsack", {"type": "diverse_kinds", "share": 0.4}],
    )
    item_cap: ItemCap | None = Field(
        default=None,
        description="Maximum part of the share for one block, or {share: ..., compactor: ..., "
        "cut_note: ...}; longer blocks are shortened.",
        examples=[0.5],
    )
    min_score: MinScore | None = Field(
        default=None,
        description="As min_score of each source that has none of its own: the similarity, from 0 "
        "to 1, that each block needs, or {each: ..., best: ...}.",
        examples=[0.3, {"best": 0.4}],
    )
    maximum_items_per_source: int | None = Field(
        default=None, ge=1, description="Maximum number of blocks of one document."
    )

    @field_validator(*PASSED_ON, mode="before")
    @classmethod
    def _is_passed_on(cls, _: object) -> Never:
        # Files are read without these, unless a source would not get them.
        raise ValueError(
            "only in a file, and only if every source has a retriever_id: write it next to each"
        )

    @property
    def duplicates(self) -> DedupeSpec | None:
        """Of which blocks only the best stays; None: all of them stay."""
        return dedupe_spec(self.dedupe, usual=SAME_TEXT)
