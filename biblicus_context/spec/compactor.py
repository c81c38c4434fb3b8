"""Compactors, declared: how a text is made to fit a number of tokens."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from biblicus_context.spec.base import NameOrSettings, Settings, Spec

DEFAULT_MARK = "\n[…]\n"


class TruncateSpec(Spec):
    """Keep the start of the text."""

    type: Literal["truncate"]
    mark: str = Field(
        default="", description="Written where the text was cut; counted.", examples=["\n[…]"]
    )


class TailSpec(Spec):
    """Keep the end of the text."""

    type: Literal["tail"]
    mark: str = Field(
        default="", description="Written where the text was cut; counted.", examples=["[…]\n"]
    )


class HeadTailSpec(Spec):
    """Keep both ends of the text."""

    type: Literal["head_tail"]
    head_ratio: float = Field(
        default=0.5, gt=0, lt=1, description="Part of the tokens that the start may use."
    )
    mark: str = Field(
        default=DEFAULT_MARK, min_length=1, description="Written between the two ends; counted."
    )


class DropBlocksSpec(Spec):
    """Drop whole paragraphs from the end; nothing is left when not even the first one fits."""

    type: Literal["drop_blocks"]


class SummarySpec(Spec):
    """Keep the leading sentences."""

    type: Literal["summary"]


class ExtractiveSpec(Spec):
    """Keep the sentences that matter most for the question."""

    type: Literal["extractive"]


class SummarizeSpec(Spec):
    """Have a function of the caller's write a summary, such as one that asks a model."""

    type: Literal["summarize"]
    using: str | None = Field(
        default=None,
        description="Name of a callable in the compactor registry; absent: the summarizer.",
    )
    fallback: NameOrSettings | None = Field(
        default="truncate",
        description="Compactor to use when the function fails; null: failing is an error.",
    )
    timeout_seconds: float | None = Field(
        default=None, gt=0, description="How long one call may take.", examples=[20]
    )


class ChainSpec(Spec):
    """Try compactors one after the other until the text fits."""

    type: Literal["chain"]
    steps: tuple[NameOrSettings, ...] = Field(
        min_length=1,
        description="Compactors, by name or with their settings.",
        examples=[["drop_blocks", {"type": "head_tail"}]],
    )


CompactorSpec: TypeAlias = (
    TruncateSpec
    | TailSpec
    | HeadTailSpec
    | DropBlocksSpec
    | SummarySpec
    | ExtractiveSpec
    | SummarizeSpec
    | ChainSpec
)

CompactorSettings = Annotated[CompactorSpec, Field(discriminator="type")]
"""The settings of one compactor, told apart by `type`."""


class CompactorDeclaration(Spec):
    """A compactor under a name, for many policies to share."""

    name: str = Field(min_length=1, description="The name policies use.", examples=["careful"])
    config: Settings = Field(
        default_factory=dict,
        description="Settings: type, and those of that type.",
        examples=[{"type": "extractive"}],
    )
