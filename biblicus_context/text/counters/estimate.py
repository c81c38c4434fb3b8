"""An estimate for models whose vocabulary is not public."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, ClassVar

from biblicus_context.text.counters.joined import CountsParts, count_followed, count_joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biblicus_context.text.counters.protocol import Counter


@dataclass(frozen=True, slots=True)
class EstimatingCounter(CountsParts):
    """Returns another counter's figure, raised by a margin and rounded up.

    >>> from biblicus_context.text.counters.simple import CharacterCounter
    >>> EstimatingCounter("claude", CharacterCounter(), 1.5).count("twelve chars")
    5
    """

    estimated: ClassVar = True
    name: str
    base: Counter
    margin: float

    def count(self, text: str) -> int:
        """The other counter's figure with the margin."""
        return ceil(self.base.count(text) * self.margin)

    def count_followed(self, texts: Sequence[str], by: str) -> list[int]:
        """The other counter's figures, each with the margin."""
        return [ceil(tokens * self.margin) for tokens in count_followed(self.base, texts, by)]

    def count_joined(self, texts: Sequence[Sequence[str]]) -> list[int]:
        """The other counter's figures for texts in parts, each with the margin."""
        return [ceil(tokens * self.margin) for tokens in count_joined(self.base, texts)]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The other counter's figures, each with the margin."""
        margin = self.margin
        return [ceil(tokens * margin) for tokens in self.base.count_many(texts)]
