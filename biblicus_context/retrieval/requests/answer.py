"""Validates what a retriever returned."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import NoneType
from typing import Any

from pydantic import ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import RetrieverError
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock


def pack_from(answer: Any, *, pack: str) -> ContextPack | None:
    """The answer as a `ContextPack`; None ends paging; anything else raises a RetrieverError."""
    if answer is None:
        return None
    try:
        if isinstance(answer, ContextPack):
            return _checked(answer)
        from biblicus_context.retrieval.packs.foreign import pack_of  # builds models

        return pack_of(answer)
    except (ValidationError, TypeError, AttributeError) as error:
        raise RetrieverError(
            pack,
            f"did not return a pack: found {type(answer).__name__} ({_first_problem(error)})",
            fix="Return a ContextPack(text=..., evidence_count=..., blocks=[...]) or None.",
        ) from None


def _checked(answer: ContextPack) -> ContextPack:
    """The pack; an error if its fields were set past validation.

    One pass in C over each field: validating the model again would cost more than assembling it.
    """
    blocks = answer.blocks
    sound = (
        type(answer.text) is str
        and type(answer.evidence_count) is int
        and answer.evidence_count >= 0
        and all(issubclass(kind, ContextPackBlock) for kind in set(map(type, blocks)))
        and all(kinds.issuperset(map(type, map(field, blocks))) for field, kinds in _FIELDS)
    )
    if not sound:
        raise TypeError("its fields were changed to wrong types or a negative count")
    return answer


_FIELDS: tuple[tuple[Callable[[ContextPackBlock], object], frozenset[type]], ...] = (
    (attrgetter("evidence_item_id"), frozenset({str})),
    (attrgetter("text"), frozenset({str})),
    (attrgetter("source"), frozenset({str, NoneType})),
    (attrgetter("score"), frozenset({float, int, NoneType})),
    (attrgetter("metadata"), frozenset({dict, NoneType})),
)


def _first_problem(error: Exception) -> str:
    return str(first_invalid(error) if isinstance(error, ValidationError) else error)
