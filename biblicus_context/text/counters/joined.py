"""Counting texts that are at hand in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biblicus_context.text.counters.protocol import Counter


class CountsJoined:
    """A counter that knows a shorter way to the tokens of a text in parts than to join them."""

    def count_joined(self, texts: Sequence[Sequence[str]]) -> list[int]:
        """Tokens of each text."""
        raise NotImplementedError


def count_joined(counter: Counter, texts: Sequence[Sequence[str]]) -> list[int]:
    """Tokens of each text, by any counter.

    >>> from biblicus_context.text.counters.characters import Characters
    >>> count_joined(Characters(), [["abc", "de"], ["f"]])
    [2, 1]
    """
    if isinstance(counter, CountsJoined):
        return counter.count_joined(texts)
    return counter.count_many(["".join(parts) for parts in texts])
