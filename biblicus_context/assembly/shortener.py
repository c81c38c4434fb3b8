"""Shortens a text with the compactor of a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from biblicus_context.base.effects import Effectful
from biblicus_context.text.counters import Counter

if TYPE_CHECKING:
    from biblicus_context.text.compactors import BaseCompactor, Shortened


class Shortener(NamedTuple):
    """Shortens text: a compactor, the counter that measures it, and the query that matters."""

    compactor: BaseCompactor
    counter: Counter
    query: str

    def shorten(self, text: str, room: int) -> Effectful[Shortened]:
        """The text in at most `room` tokens, whatever the compactor does."""
        return self.compactor.within(text, room, self.query, self.counter)
