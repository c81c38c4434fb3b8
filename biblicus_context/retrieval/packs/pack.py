"""Packs of evidence, as retrievers return them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from biblicus_context.base.lazy import lazy
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.text.sound import Text


class _Carried:
    """What a block carries for the engine: blocks are equal with or without it."""

    def __init__(self, read: Callable[[], Candidate]) -> None:
        self._read = read

    @lazy
    def facts(self) -> Candidate:
        """The facts, put together when the first one is needed: most blocks are only placed."""
        return self._read()

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, _Carried)

    __hash__ = None  # type: ignore[assignment] # as of the block that carries it

    def __reduce__(self) -> tuple[Callable[[Candidate], _Carried], tuple[Candidate]]:
        return _known, (self.facts,)


def _known(facts: Candidate) -> _Carried:
    return _Carried(lambda: facts)


class ContextPackBlock(BaseModel):
    """One piece of evidence."""

    model_config = ConfigDict(extra="forbid")

    evidence_item_id: Text = Field(min_length=1, description="Names the evidence.")
    text: Text = Field(min_length=1, description="The evidence itself.")
    metadata: dict[str, object] | None = Field(default=None, description="What is known of it.")
    source: Text | None = Field(default=None, description="Where it comes from.")
    score: float | None = Field(default=None, description="How well it matches; higher is better.")
    # pydantic copies any other default for every block.
    _carried: _Carried | None = PrivateAttr(default=None)

    @classmethod
    def with_facts(cls, read: Callable[[], Candidate], **fields: Any) -> Self:
        """A new block with the facts that a retriever knows; they are in no dump of it."""
        block = cls(**fields)
        block._carried = _Carried(read)
        return block

    def carrying(self, facts: Candidate) -> Self:
        """The same block with these facts."""
        block = self.model_copy()
        block._carried = _known(facts)
        return block

    @property
    def carried(self) -> Candidate | None:
        """The facts as its retriever knows them; `facts_of` also reads those of other blocks."""
        # Reading the attribute by its name takes pydantic twenty times as long.
        carried: _Carried | None = (self.__pydantic_private__ or {}).get("_carried")
        return carried.facts if carried else None


class RepeatedBlock(BaseModel):
    """A block that is left out because another one says the same."""

    model_config = ConfigDict(extra="forbid")

    evidence_item_id: Text = Field(min_length=1, description="Names the evidence.")
    reason: Text = Field(description="Why it is left out; names the one that stays.")


class ContextPack(BaseModel):
    """What a retriever returns for one request."""

    model_config = ConfigDict(extra="forbid")

    text: Text = Field(description="The pack as text; where there are blocks, they are placed.")
    evidence_count: int = Field(ge=0, description="How many pieces of evidence it holds.")
    blocks: list[ContextPackBlock] = Field(default_factory=list, description="Best first.")
    repeated: list[RepeatedBlock] = Field(
        default_factory=list,
        exclude=True,
        description="What this page leaves out as repetitions; for the receipt alone.",
    )
    warnings: list[Text] = Field(
        default_factory=list,
        exclude=True,
        description="What the receipt says about this answer, such as a stale index.",
    )
    more: bool = Field(
        default=False,
        exclude=True,
        description="Whether the retriever has further blocks beyond those of this page.",
    )
