"""One compactor after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from biblicus_context.base.effects import Effectful
from biblicus_context.text.compactors.base import BaseCompactor, EffectfulCompactor
from biblicus_context.text.compactors.request import CompactionRequest
from biblicus_context.text.cutting.cutting import fits, longest_start


@dataclass(frozen=True)
class ChainCompactor(EffectfulCompactor):
    """Hands the text from one compactor to the next until it fits.

    A step that leaves nothing is passed over: the next one gets the text as it was before.

    >>> from biblicus_context.text.compactors import DropBlocksCompactor, TruncateCompactor
    >>> chain = ChainCompactor((DropBlocksCompactor(), TruncateCompactor()))
    >>> chain.compact(CompactionRequest("One two three.\\n\\nFour.", 2))
    'One two'
    """

    steps: tuple[BaseCompactor, ...]

    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """What the steps make of the text, their calls made by the engine."""
        text = request.text
        for step in self.steps:
            if fits(text, request.max_tokens, request.counter):
                return text
            text = (yield from step.shorten(replace(request, text=text))) or text
        if fits(text, request.max_tokens, request.counter):
            return text
        return longest_start(text, request.max_tokens, request.counter)
