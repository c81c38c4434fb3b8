"""Shorten long texts only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from biblicus_context.base.effects import Effectful
from biblicus_context.spec.base import NameOrSettings
from biblicus_context.text.compactors.compactor import (
    BaseCompactor,
    CompactionRequest,
    CompactorParts,
    CompactorSettings,
    EffectfulCompactor,
)
from biblicus_context.text.cutting.cutting import fits


@dataclass(frozen=True)
class LongOnlyCompactor(EffectfulCompactor):
    """Leaves nothing of a text with few characters: a block is then left out as a whole.

    >>> from biblicus_context.text.compactors import TruncateCompactor
    >>> long_only = LongOnlyCompactor(TruncateCompactor(), characters=20)
    >>> [long_only.compact(CompactionRequest(text, 2)) for text in ("Book the hall", "Book the hall and the band")]
    ['', 'Book the']
    """

    compactor: BaseCompactor
    characters: int

    @property
    def makes_calls(self) -> bool:
        """Whether the compactor of long texts does."""
        return self.compactor.makes_calls

    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """What the compactor makes of a long text."""
        if fits(request.text, request.max_tokens, request.counter):
            return request.text
        if len(request.text) < self.characters:
            return ""
        return (yield from self.compactor.shorten(request))


@dataclass(frozen=True)
class LongOnlySettings(CompactorSettings):
    """Shortens texts from a length on; shorter ones are left out if they do not fit."""

    compactor: Annotated[
        NameOrSettings,
        Field(
            description="Compactor of long texts, by name or with its settings.",
            examples=["extractive"],
        ),
    ] = "truncate"
    characters: Annotated[
        int, Field(ge=1, description="Texts with fewer characters are not shortened.")
    ] = 50

    def build(self, parts: CompactorParts) -> BaseCompactor:
        """It around the compactor that is named."""
        return LongOnlyCompactor(parts.compactor(self.compactor), self.characters)
