"""What a retriever returned, typed at the door: a pack, the end of paging, or a refusal."""

from __future__ import annotations

from types import NoneType
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from biblicus_context.errors import RetrieverError
from biblicus_context.retrieval.pack import ContextPack, ContextPackBlock
from biblicus_context.text.sound import Text


class _ForeignBlock(BaseModel):
    """A block of another library, such as Biblicus, read by its attributes."""

    model_config = ConfigDict(from_attributes=True, extra="ignore")

    evidence_item_id: Text
    text: Text
    metadata: dict[str, object] | None = None
    source: Text | None = None
    score: float | None = None


class _ForeignPack(BaseModel):
    """A pack of another library, such as Biblicus, read by its attributes."""

    model_config = ConfigDict(from_attributes=True, extra="ignore")

    text: Text
    evidence_count: int
    blocks: list[_ForeignBlock] = []


def pack_from(answer: Any, *, pack: str) -> ContextPack | None:
    """The answer as a `ContextPack`; None ends paging; anything else is refused with its name."""
    if answer is None:
        return None
    try:
        if isinstance(answer, ContextPack):
            return _checked(answer)
        foreign = _ForeignPack.model_validate(answer)
        return ContextPack(
            text=foreign.text,
            evidence_count=foreign.evidence_count,
            blocks=[ContextPackBlock(**block.model_dump()) for block in foreign.blocks],
        )
    except (ValidationError, TypeError, AttributeError) as error:
        raise RetrieverError(
            pack,
            f"answered what is not a pack: found {type(answer).__name__} ({_first_problem(error)})",
            fix="Return a ContextPack(text=..., evidence_count=..., blocks=[...]) or None.",
        ) from None


def _checked(answer: ContextPack) -> ContextPack:
    """A pack whose fields were set past validation is still refused."""
    sound = (
        type(answer.text) is str
        and type(answer.evidence_count) is int
        and answer.evidence_count >= 0
        and all(_is_sound(block) for block in answer.blocks)
    )
    if not sound:
        raise TypeError("its fields were changed to wrong types or a negative count")
    return answer


def _is_sound(block: object) -> bool:
    return (
        isinstance(block, ContextPackBlock)
        and type(block.evidence_item_id) is str
        and type(block.text) is str
        and type(block.source) in (str, NoneType)
        and type(block.score) in (float, int, NoneType)
        and type(block.metadata) in (dict, NoneType)
    )


def _first_problem(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return f"{where}: {first['msg']}" if where else first["msg"]
    return str(error)
