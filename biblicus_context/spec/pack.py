"""Packs: what may be said of a text that a retriever or a nested context supplies."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from biblicus_context.spec.base import Spec
from biblicus_context.spec.budget import ContextBudgetSpec


class BlockFormatSpec(Spec):
    """How one block of evidence is written."""

    metadata: bool | tuple[str, ...] = Field(
        default=False,
        description="Write metadata lines above the text: all fields, or those listed.",
        examples=[["source", "date"]],
    )
    fence: bool = Field(
        default=False,
        description="Put the text between tags that it cannot forge, to mark it as data.",
    )
    citations: Literal["inline"] | None = Field(
        default=None,
        description="Write each block's citation id in front of it, for the answer to name.",
    )


class PackOptions(Spec):
    """What a plan may say of each pack it places."""

    name: str = Field(min_length=1, description="A retriever or a context.", examples=["kb_search"])
    budget: ContextBudgetSpec | None = Field(
        default=None, description="Caps this pack's share; ratio is of the input budget."
    )
    weight: float | None = Field(
        default=None, gt=0, description="Part of the pack budget relative to others (1)."
    )
    priority: int | None = Field(
        default=None, description="Higher is served first and shrunk last (0)."
    )
    pin: bool = Field(default=False, description="Keep the pack whole: an error rather than a cut.")
    on_error: Literal["fail", "skip"] = Field(
        default="fail", description="When the retriever fails: raise, or leave the pack out."
    )
    timeout_seconds: float | None = Field(
        default=None, gt=0, description="How long one request may take.", examples=[2.5]
    )
    ordering: Literal["rank", "score", "source", "edges", "reading"] = Field(
        default="rank",
        description="Order of the blocks: as ranked, by score, by source, best at both ends, or as "
        "in their documents.",
    )
    dedupe: bool = Field(
        default=True,
        description="Whether a block may go because another pack has it, and others because of it.",
    )
    format: BlockFormatSpec | None = Field(default=None, description="How a block is written.")


class ContextPackSpec(PackOptions):
    """A pack of the default plan, placed behind the base system prompt."""
