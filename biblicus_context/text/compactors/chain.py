"""One compactor after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from biblicus_context.text.cutting.cutting import fits, longest_start


@dataclass(frozen=True)
class ChainCompactor(EffectfulCompactor):
    """Passes the text from one compactor to the next until it fits.

    A step that leaves nothing is skipped: the next one gets the text from before it.

    >>> from biblicus_context.text.compactors import DropBlocksCompactor, TruncateCompactor
    >>> chain = ChainCompactor((DropBlocksCompactor(), TruncateCompactor()))
    >>> chain.compact(CompactionRequest("One two three.\\n\\nFour.", 2))
    'One two'
    """

    steps: tuple[BaseCompactor, ...]

    @property
    def makes_calls(self) -> bool:
        """Whether one of its steps does."""
        return any(step.makes_calls for step in self.steps)

    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """What the steps make of the text."""
        text = request.text
        for step in self.steps:
            if fits(text, request.max_tokens, request.counter):
                return text
            text = (yield from step.shorten(replace(request, text=text))) or text
        if fits(text, request.max_tokens, request.counter):
            return text
        return longest_start(text, request.max_tokens, request.counter)


@dataclass(frozen=True)
class ChainSettings(CompactorSettings):
    """Tries compactors one after the other until the text fits."""

    steps: Annotated[
        tuple[NameOrSettings, ...],
        Field(
            min_length=1,
            description="Compactors, by name or with their settings.",
            examples=[["drop_blocks", {"type": "head_tail"}]],
        ),
    ]

    def build(self, parts: CompactorParts) -> BaseCompactor:
        """The chain of the compactors that the steps name."""
        return ChainCompactor(tuple(map(parts.compactor, self.steps)))
