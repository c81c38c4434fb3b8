"""A caller's own function as a compactor."""

from __future__ import annotations

from dataclasses import dataclass

from biblicus_context.base.effects import Effect, Effectful, perform
from biblicus_context.text.compactors.compactor import (
    CompactionRequest,
    CompactorFunction,
    EffectfulCompactor,
)


@dataclass(frozen=True)
class FunctionCompactor(EffectfulCompactor):
    """Has the engine call a function that may be slow, fail, or be async.

    >>> FunctionCompactor(lambda request: request.text[:3]).compact(CompactionRequest("hello", 1))
    'hel'
    """

    function: CompactorFunction

    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """The function's answer."""
        outcome = yield from perform(Effect(self.function, request))
        if outcome.error is not None:
            raise outcome.error
        answer: str = outcome.value
        return answer
