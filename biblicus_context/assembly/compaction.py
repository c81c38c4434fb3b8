"""Compactors as an assembly uses them, loaded when a plan names one or a text must be cut.

Loading them all takes a tenth of the time to a first result, and most calls shorten nothing: this
is the only place that imports them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from biblicus_context.base.effects import Effectful
from biblicus_context.base.lazy import lazy
from biblicus_context.text.counters import Counter

if TYPE_CHECKING:
    from biblicus_context.text.compactors import BaseCompactor, Compactors, Shortened


class Shortener(NamedTuple):
    """Shortens text: a compactor, the counter that measures it, and the query that matters."""

    compactor: BaseCompactor
    counter: Counter
    query: str

    def shorten(self, text: str, room: int) -> Effectful[Shortened]:
        """The text in at most `room` tokens, whatever the compactor does."""
        return self.compactor.within(text, room, self.query, self.counter)


class Compaction:
    """Builds compactors from what a policy says, with those that the caller added."""

    def __init__(self, registry: Mapping[str, Any], summarizer: Any) -> None:
        self._registry = registry
        self._summarizer = summarizer

    def build(self, config: str | Mapping[str, Any] | None) -> BaseCompactor:
        """The compactor of a name or of settings."""
        return self._compactors.build(config)

    def building(self, config: str | Mapping[str, Any] | None) -> Callable[[], BaseCompactor]:
        """What gives the compactor when it is needed; wrong settings are refused at once."""
        if config is None:
            return self._default
        compactor = self.build(config)
        return lambda: compactor

    def _default(self) -> BaseCompactor:
        return self.build(None)

    @lazy
    def _compactors(self) -> Compactors:
        from biblicus_context.text.compactors import Compactors  # see above

        return Compactors(self._registry, self._summarizer)
