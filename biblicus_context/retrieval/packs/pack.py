"""Packs of evidence, as retrievers return them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from biblicus_context.base.doors import door
from biblicus_context.retrieval.relevance import Relevance
from biblicus_context.text.valid_unicode import Text

if TYPE_CHECKING:
    from biblicus_context.retrieval.candidate import Candidate

_FACTS: Final = "_facts"


@door
class ContextPackBlock(BaseModel):
    """One piece of evidence."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    evidence_item_id: Text = Field(min_length=1, description="Names the evidence.")
    text: Text = Field(min_length=1, description="The evidence itself.")
    metadata: dict[str, object] | None = Field(default=None, description="What is known of it.")
    source: Text | None = Field(default=None, description="Where it comes from.")
    score: float | None = Field(default=None, description="How well it matches; higher is better.")

    @classmethod
    def with_facts(cls, facts: Candidate, **fields: Any) -> Self:
        """A new block with the facts that a retriever knows."""
        block = cls(**fields)
        vars(block)[_FACTS] = facts
        return block

    def carrying(self, facts: Candidate) -> Self:
        """The same block with the facts that a retriever knows; they are in no dump of it."""
        block = self.model_copy()
        # Not a private attribute: those make every block twice as slow to build, and are compared.
        vars(block)[_FACTS] = facts
        return block

    @property
    def carried(self) -> Candidate | None:
        """The facts as its retriever knows them; `facts_of` also reads those of other blocks."""
        known: Candidate | None = vars(self).get(_FACTS)
        return known


Cause: TypeAlias = Literal[
    "min_score",
    "relevance",
    "duplicate",
    "limit",
    "share",
    "maximum_total_characters",
    "select",
    "failed",
]
"""Why a retriever leaves out a block: the setting, or the limit of the request."""


class LeftOutBlock(BaseModel):
    """A block that a retriever found and leaves out."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    evidence_item_id: Text = Field(min_length=1, description="Names the evidence.")
    cause: Cause = Field(description="What bound.")
    figure: int | None = Field(default=None, description="The figure of the limit.")
    detail: Text = Field(default="", description="What else there is to say of it.")
    score: float | None = Field(default=None, description="How similar it is, if it is too little.")


class ContextPack(BaseModel):
    """What a retriever returns for one request."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    text: Text = Field(description="The pack as text; where there are blocks, they are placed.")
    evidence_count: int = Field(ge=0, description="How many pieces of evidence it holds.")
    blocks: list[ContextPackBlock] = Field(default_factory=list, description="Best first.")
    left_out: list[LeftOutBlock] = Field(
        default_factory=list,
        exclude=True,
        description="What was found for this page and is not on it; for the receipt alone.",
    )
    warnings: list[Text] = Field(
        default_factory=list,
        exclude=True,
        description="What the receipt says about this answer, such as a stale index.",
    )
    relevance: Relevance | None = Field(
        default=None,
        exclude=True,
        description="Whether anything that was found is relevant, where `min_score: auto` decides it.",
    )
    more: bool = Field(
        default=False,
        exclude=True,
        description="Whether the retriever has further blocks beyond those of this page.",
    )
