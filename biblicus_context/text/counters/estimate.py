"""An estimate for models whose vocabulary is not public."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

from biblicus_context.text.counters.joined import CountsParts, count_followed, count_joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biblicus_context.text.counters.protocol import Counter


class Estimate(CountsParts):
    """Another counter's figure, raised by a margin and rounded up.

    >>> from biblicus_context.text.counters.characters import Characters
    >>> Estimate("claude", Characters(), 1.5).count("twelve chars")
    5
    """

    estimated: Final = True

    def __init__(self, name: str, base: Counter, margin: float) -> None:
        self.name = name
        self.margin = margin
        self._base = base

    def count(self, text: str) -> int:
        """The other counter's figure with the margin."""
        return ceil(self._base.count(text) * self.margin)

    def count_followed(self, texts: Sequence[str], by: str) -> list[int]:
        """The other counter's figures, each with the margin."""
        return [ceil(tokens * self.margin) for tokens in count_followed(self._base, texts, by)]

    def count_joined(self, texts: Sequence[Sequence[str]]) -> list[int]:
        """The other counter's figures for texts in parts, each with the margin."""
        return [ceil(tokens * self.margin) for tokens in count_joined(self._base, texts)]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The other counter's figures, each with the margin."""
        margin = self.margin
        return [ceil(tokens * margin) for tokens in self._base.count_many(texts)]
