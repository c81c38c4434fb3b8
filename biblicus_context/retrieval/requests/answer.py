"""Validates what a retriever returned."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import NoneType
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import RetrieverError
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock

MOST_ABOVE_LIMIT: Final = 1_000
"""Blocks that a retriever may return beyond the limit of its request.

Many callables return all they have, whatever they are asked for, and a pack is made of what fits.
But the work must not grow with what nobody asked for.
"""


class EvidencePage(NamedTuple):
    """A page of evidence."""

    pack: ContextPack
    is_cut: bool = False
    """Whether there were more blocks than are read."""


def answer_from(answer: Any, *, pack: str, limit: int) -> EvidencePage | None:
    """The answer with a `ContextPack`; None ends paging; anything else raises a RetrieverError."""
    if answer is None:
        return None
    most = limit + MOST_ABOVE_LIMIT
    try:
        if isinstance(answer, ContextPack):
            return _checked(answer, most)
        from biblicus_context.retrieval.foreign.answers import pack_of  # few calls need it

        return EvidencePage(*pack_of(answer, most))
    except (ValidationError, TypeError, AttributeError) as error:
        raise RetrieverError(
            pack,
            f"did not return a pack: found {type(answer).__name__} ({_first_problem(error)})",
            fix="Return text, a list of texts or documents, "
            "a ContextPack(text=..., evidence_count=..., blocks=[...]), or None.",
        ) from None


def _checked(answer: ContextPack, most: int) -> EvidencePage:
    """The pack; an error if its fields were set past validation.

    One pass in C over each field: validating the model again would cost more than assembling it.
    """
    blocks, left_out = answer.blocks, answer.left_out
    is_cut = len(blocks) > most or len(left_out) > most
    if is_cut:
        blocks = blocks[:most]
        answer = answer.model_copy(update={"blocks": blocks, "left_out": left_out[:most]})
    sound = type(answer.text) is str and type(answer.evidence_count) is int
    if not sound or answer.evidence_count < 0 or not all(map(_is_block, set(map(type, blocks)))):
        raise TypeError(_CHANGED)
    for field, kinds in _FIELDS:
        if not kinds.issuperset(map(type, map(field, blocks))):
            raise TypeError(_CHANGED)
    return EvidencePage(answer, is_cut)


def _is_block(kind: type) -> bool:
    return issubclass(kind, ContextPackBlock)


_CHANGED: Final = "its fields were changed to wrong types or a negative count"
_FIELDS: tuple[tuple[Callable[[ContextPackBlock], object], frozenset[type]], ...] = (
    (attrgetter("evidence_item_id"), frozenset({str})),
    (attrgetter("text"), frozenset({str})),
    (attrgetter("source"), frozenset({str, NoneType})),
    (attrgetter("score"), frozenset({float, int, NoneType})),
    (attrgetter("metadata"), frozenset({dict, NoneType})),
)


def _first_problem(error: Exception) -> str:
    return str(first_invalid(error) if isinstance(error, ValidationError) else error)
