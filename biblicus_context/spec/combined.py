"""A combined retriever: several retrievers asked side by side, ranked and selected together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Never, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from biblicus_context.spec.base import NameOrSettings, StrictSpec
from biblicus_context.spec.choosing import ChoosingSpec
from biblicus_context.spec.filters import FilterSpec
from biblicus_context.spec.retriever import PASSED_ON
from biblicus_context.spec.retriever_settings.search import EvidenceFormatSpec


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


class CombinedSpec(ChoosingSpec):
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
    filters: FilterSpec = Field(
        default_factory=FilterSpec,
        description="In files: filters of each source without its own; all are declared in place.",
        examples=[{"path": "guides/**"}],
    )
    format: EvidenceFormatSpec = Field(
        default_factory=EvidenceFormatSpec,
        description="In files: format of each source without its own; all are declared in place.",
        examples=[{"speakers": True}],
    )
    fusion: NameOrSettings = Field(
        default="reciprocal_rank",
        description="How the scores of different sources become one: reciprocal_rank, "
        "standard_scores, weighted_scores or given_scores.",
        examples=["given_scores", {"type": "reciprocal_rank", "constant": 20}],
    )

    @field_validator(*PASSED_ON, mode="before")
    @classmethod
    def _is_passed_on(cls, _: object) -> Never:
        # Files are read without these, unless a source would not get them.
        raise ValueError(
            "only in a file, and only if every source has a retriever_id: write it next to each"
        )
