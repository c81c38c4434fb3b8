"""Options of packs: texts that a retriever or a nested context supplies."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from biblicus_context.spec.base import Spec
from biblicus_context.spec.budget import PackShareSpec
from biblicus_context.spec.format import FormatReference


class PackOptions(Spec):
    """Options of a pack."""

    name: str = Field(min_length=1, description="A retriever or a context.", examples=["kb_search"])
    budget: PackShareSpec | None = Field(
        default=None,
        description="Limits of this pack's share: max_tokens, or ratio of the input budget, and "
        "min_tokens, which it gets before other packs get more.",
    )
    weight: float | None = Field(
        default=None,
        gt=0,
        description="Part of the pack budget relative to other packs; 1 if absent.",
    )
    priority: int | None = Field(
        default=None, description="Higher values are served first and shrunk last; 0 if absent."
    )
    pin: bool = Field(
        default=False, description="Keep the pack whole; raise an error if it does not fit."
    )
    on_error: Literal["fail", "skip"] = Field(
        default="fail",
        description="What to do if the retriever fails: raise an error, or skip the pack.",
    )
    timeout_seconds: float | None = Field(
        default=None, gt=0, description="Time limit of one request, in seconds.", examples=[2.5]
    )
    ordering: Literal["rank", "score", "source", "edges", "reading"] = Field(
        default="rank",
        description="Order of the blocks: as ranked, by score, by source, best at both ends, or as "
        "in their documents.",
    )
    dedupe: bool = Field(
        default=True,
        description="Whether this pack takes part in removing duplicate blocks across packs.",
    )
    format: FormatReference | None = Field(
        default=None,
        description="How the pack is written: in place, or the name of a declared format.",
        examples=["memories", {"item": "- {content}"}],
    )
    title: str | None = Field(
        default=None,
        description="First line of the pack, in place of the format's title; written only if the "
        "pack has content.",
        examples=["## Memories"],
    )


class ContextPackSpec(PackOptions):
    """A pack of the default plan, placed after the base system prompt."""
