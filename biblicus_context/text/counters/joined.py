"""Counting texts that are at hand in parts: a part, what separates it from the next one, and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biblicus_context.text.counters.protocol import Counter


class CountsParts:
    """A counter that knows a shorter way to the tokens of a text in parts than to join them."""

    def count_followed(self, texts: Sequence[str], by: str) -> list[int]:
        """Tokens of each text with the same separator behind it."""
        raise NotImplementedError

    def count_joined(self, texts: Sequence[Sequence[str]]) -> list[int]:
        """Tokens of each text in parts."""
        raise NotImplementedError


def count_followed(counter: Counter, texts: Sequence[str], by: str) -> list[int]:
    """Tokens of each text with the same separator behind it, by any counter.

    >>> from biblicus_context.text.counters.simple import CharacterCounter
    >>> count_followed(CharacterCounter(), ["abc", "de"], "--")
    [2, 1]
    """
    if isinstance(counter, CountsParts):
        return counter.count_followed(texts, by)
    return counter.count_many([text + by for text in texts])


def count_joined(counter: Counter, texts: Sequence[Sequence[str]]) -> list[int]:
    """Tokens of each text in parts, by any counter.

    >>> from biblicus_context.text.counters.simple import CharacterCounter
    >>> count_joined(CharacterCounter(), [["abc", ", ", "de"], ["f"]])
    [2, 1]
    """
    if isinstance(counter, CountsParts):
        return counter.count_joined(texts)
    return counter.count_many(["".join(parts) for parts in texts])
