"""Reads packs of another library, such as Biblicus, by their attributes."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.text.sound import Text


class _ForeignBlock(BaseModel):
    model_config = ConfigDict(from_attributes=True, extra="ignore")

    evidence_item_id: Text
    text: Text
    metadata: dict[str, object] | None = None
    source: Text | None = None
    score: float | None = None


class _ForeignPack(BaseModel):
    model_config = ConfigDict(from_attributes=True, extra="ignore")

    text: Text
    evidence_count: int
    blocks: list[_ForeignBlock] = []


def pack_of(answer: Any) -> ContextPack:
    """The answer as our own pack."""
    foreign = _ForeignPack.model_validate(answer)
    return ContextPack(
        text=foreign.text,
        evidence_count=foreign.evidence_count,
        blocks=[ContextPackBlock(**block.model_dump()) for block in foreign.blocks],
    )
