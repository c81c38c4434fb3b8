"""What every compactor is, and what the ones that cut have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod

from biblicus_context.base.effects import Effectful
from biblicus_context.base.threads import run
from biblicus_context.text.compactors.request import CompactionRequest
from biblicus_context.text.cutting.cutting import fits


class BaseCompactor:
    """Makes a text shorter; override `compact`, or `shorten` where the outside world is needed.

    >>> class Shout(BaseCompactor):
    ...     def compact(self, request):
    ...         return request.text[:2].upper()
    >>> Shout().compact(CompactionRequest("hello", 1))
    'HE'
    """

    def compact(self, request: CompactionRequest) -> str:
        """The text, made to fit."""
        raise NotImplementedError

    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """The same for the engine, which makes the calls that this asks for."""
        yield from ()
        return self.compact(request)


class EffectfulCompactor(BaseCompactor, ABC):
    """Needs the outside world: `shorten` yields the calls, which `compact` makes itself."""

    def compact(self, request: CompactionRequest) -> str:
        """The text, made to fit outside the engine."""
        return run(self.shorten(request))

    @abstractmethod
    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """The text, made to fit; calls to the outside world are yielded as effects."""


class CuttingCompactor(BaseCompactor, ABC):
    """Leaves a text that fits as it is, and otherwise keeps parts of it."""

    def compact(self, request: CompactionRequest) -> str:
        """The text itself, or the parts of it that fit."""
        if request.max_tokens <= 0:
            return ""
        if fits(request.text, request.max_tokens, request.counter):
            return request.text
        return self.cut(request)

    @abstractmethod
    def cut(self, request: CompactionRequest) -> str:
        """The parts to keep of a text that is too long; `max_tokens` is at least 1."""
