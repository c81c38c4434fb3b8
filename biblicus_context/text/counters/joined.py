"""Counting texts given in parts: a part, its separator, the next part, and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biblicus_context.base.doors import door

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biblicus_context.text.counters.protocol import Counter


class CountsParts:
    """A counter that can count a text in parts without joining them."""

    def count_followed(self, texts: Sequence[str], by: str) -> list[int]:
        """The tokens of each text followed by the same separator."""
        raise NotImplementedError

    def count_joined(self, texts: Sequence[Sequence[str]]) -> list[int]:
        """The tokens of each text in parts."""
        raise NotImplementedError


@door
def count_followed(counter: Counter, texts: Sequence[str], by: str) -> list[int]:
    """The tokens of each text followed by the same separator, with any counter.

    >>> from biblicus_context.text.counters.simple import CharacterCounter
    >>> count_followed(CharacterCounter(), ["abc", "de"], "--")
    [2, 1]
    """
    if isinstance(counter, CountsParts):
        return counter.count_followed(texts, by)
    return counter.count_many([text + by for text in texts])


@door
def count_joined(counter: Counter, texts: Sequence[Sequence[str]]) -> list[int]:
    """The tokens of each text in parts, with any counter.

    >>> from biblicus_context.text.counters.simple import CharacterCounter
    >>> count_joined(CharacterCounter(), [["abc", ", ", "de"], ["f"]])
    [2, 1]
    """
    if isinstance(counter, CountsParts):
        return counter.count_joined(texts)
    return counter.count_many(["".join(parts) for parts in texts])
