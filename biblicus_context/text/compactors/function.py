"""A caller's own function as a compactor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from biblicus_context.base.effects import Effect, Effectful, perform
from biblicus_context.text.compactors.base import EffectfulCompactor
from biblicus_context.text.compactors.request import CompactionRequest

Function: TypeAlias = Callable[[CompactionRequest], str | Awaitable[str]]


@dataclass(frozen=True)
class FunctionCompactor(EffectfulCompactor):
    """Has the engine call a function that may be slow, fail, or be async.

    >>> FunctionCompactor(lambda request: request.text[:3]).compact(CompactionRequest("hello", 1))
    'hel'
    """

    function: Function

    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """What the function answers, asked by the engine."""
        outcome = yield from perform(Effect(self.function, request))
        if outcome.error is not None:
            raise outcome.error
        answer: str = outcome.value
        return answer
