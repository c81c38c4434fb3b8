"""Counting a text that is at hand in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biblicus_context.text.counters.protocol import Counter


class CountsJoined:
    """A counter that knows a shorter way to the tokens of parts than to join them."""

    def count_joined(self, parts: Sequence[str]) -> int:
        """Tokens of the parts as one text."""
        raise NotImplementedError


def count_joined(counter: Counter, parts: Sequence[str]) -> int:
    """Tokens of the parts as one text, by any counter.

    >>> from biblicus_context.text.counters.characters import Characters
    >>> count_joined(Characters(), ["abc", "de"])
    2
    """
    if isinstance(counter, CountsJoined):
        return counter.count_joined(parts)
    return counter.count("".join(parts))
