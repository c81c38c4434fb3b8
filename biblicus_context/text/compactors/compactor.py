"""What every compactor is given, and the kinds of compactors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from biblicus_context.base.doors import door
from biblicus_context.base.effects import Effectful
from biblicus_context.base.threads import run
from biblicus_context.text.compactors.checked import Shortened, shorten_checked
from biblicus_context.text.counters import Counter, default_counter
from biblicus_context.text.cutting.cutting import fits, longest_start


@dataclass(frozen=True, slots=True)
class CompactionRequest:
    """A text to shorten, the limit in tokens, the user's question, and the counter."""

    text: str
    max_tokens: int
    query: str = ""
    counter: Counter = field(default_factory=default_counter)


CompactorFunction: TypeAlias = Callable[[CompactionRequest], str | Awaitable[str]]


@door
class BaseCompactor:
    """Makes a text shorter; override `compact`, or `shorten` if it has to make slow calls.

    >>> class Shout(BaseCompactor):
    ...     def compact(self, request):
    ...         return request.text[:2].upper()
    >>> Shout().compact(CompactionRequest("hello", 1))
    'HE'
    """

    def compact(self, request: CompactionRequest) -> str:
        """The shortened text."""
        raise NotImplementedError

    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """The shortened text; yield slow calls as effects for the engine to make."""
        yield from ()
        return self.compact(request)

    @property
    def makes_calls(self) -> bool:
        """Whether it may make slow calls, which the engine has to make: it overrides `shorten`."""
        return type(self).shorten is not BaseCompactor.shorten

    def within(self, text: str, room: int, query: str, counter: Counter) -> Effectful[Shortened]:
        """The text in at most `room` tokens, whatever this compactor does."""
        request = CompactionRequest(text, max(0, room), query, counter)
        return (yield from shorten_checked(self, request))


class EffectfulCompactor(BaseCompactor, ABC):
    """Makes slow calls: override `shorten`."""

    def compact(self, request: CompactionRequest) -> str:
        """The shortened text; slow calls are made at once, in threads."""
        return run(self.shorten(request))

    @abstractmethod
    def shorten(self, request: CompactionRequest) -> Effectful[str]:
        """The shortened text; yield slow calls as effects for the engine to make."""


@door
class CuttingCompactor(BaseCompactor, ABC):
    """Returns a text that fits unchanged, and keeps parts of any other."""

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


class CompactorParts(Protocol):
    """Where settings get the compactors and functions that they name."""

    def compactor(self, config: str | Mapping[str, Any]) -> BaseCompactor:
        """The compactor of a name or of settings."""

    def summarizer(self, name: str | None) -> CompactorFunction:
        """The function of this name, or the summarizer without one."""


class CompactorSettings(ABC):
    """Settings of a compactor that is built from other compactors or functions."""

    @abstractmethod
    def build(self, parts: CompactorParts) -> BaseCompactor:
        """The compactor."""


def with_mark(request: CompactionRequest, mark: str, marked: Callable[[int], str]) -> str:
    """The longest marked text that fits, or the plain start if the mark takes all tokens.

    `marked` cuts the text to a number of tokens and adds the mark; "" means that nothing is left.
    """
    room = request.max_tokens - request.counter.count(mark)
    while room > 0:
        text = marked(room)
        # Counted as a whole: a mark and the text next to it may share or split tokens.
        over = request.counter.count(text) - request.max_tokens
        if text and over <= 0:
            return text
        room -= max(1, over) if text else room
    return longest_start(request.text, request.max_tokens, request.counter)
