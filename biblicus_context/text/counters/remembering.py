"""A counter that counts every text once."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from biblicus_context.base.doors import door
from biblicus_context.text.counters.count_memory import CountMemory
from biblicus_context.text.counters.joined import CountsParts
from biblicus_context.text.counters.paragraphs import BREAK, paragraphs, separable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from biblicus_context.text.counters.protocol import Counter

_SHORTEST_TO_CUT: Final = 3_000
_ENTRIES: Final = 65_536
_CHARACTERS: Final = 8_000_000


@door
class RememberingCounter(CountsParts):
    """Remembers another counter's figures by text, and by paragraph for long texts.

    Set `splits_at_paragraphs` if the other counter's figure for a text is the sum of the figures for
    its `paragraphs`: a text joined from remembered parts then costs look-ups only. The other
    counter must always return the same figure for the same text.

    >>> from biblicus_context.text.counters.simple import WhitespaceCounter
    >>> RememberingCounter(WhitespaceCounter()).count("one two")
    2
    """

    def __init__(
        self,
        counter: Counter,
        *,
        splits_at_paragraphs: bool = False,
        entries: int = _ENTRIES,
        characters: int = _CHARACTERS,
    ) -> None:
        self._counter = counter
        self._splits_at_paragraphs = splits_at_paragraphs
        self._memory = CountMemory(entries, characters)
        self._closed = CountMemory(entries, characters)
        """Counts of texts followed by a break; the keys do not contain the break."""

    @property
    def name(self) -> str:
        """The name of the other counter."""
        return self._counter.name

    @property
    def estimated(self) -> bool:
        """Whether the other counter estimates."""
        return self._counter.estimated

    def count(self, text: str) -> int:
        """The tokens of one text."""
        known = self._memory.get(text)
        return self.count_many((text,))[0] if known is None else known

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text; texts that are not remembered are counted together."""
        return self._memory.counts(texts, self._count_new)

    def count_followed(self, texts: Sequence[str], by: str) -> list[int]:
        """The tokens of each text followed by the same separator."""
        if by != BREAK:
            return self.count_many([text + by for text in texts])
        return self._closed.counts(texts, self._count_closed)

    def count_joined(self, texts: Sequence[Sequence[str]]) -> list[int]:
        """The tokens of each text; its parts are counted one by one if they add up."""
        if self._splits_at_paragraphs:
            return self._count_rows([separable(parts) or ("",) for parts in texts])
        return self.count_many(["".join(parts) for parts in texts])

    def _count_new(self, texts: Sequence[str]) -> list[int]:
        if not self._splits_at_paragraphs or max(map(len, texts)) < _SHORTEST_TO_CUT:
            return self._counter.count_many(texts)
        rows = [paragraphs(text) if len(text) >= _SHORTEST_TO_CUT else [text] for text in texts]
        return self._count_rows(rows)

    def _count_rows(self, rows: Sequence[Sequence[str]]) -> list[int]:
        """The tokens of each row of texts, all but the last followed by a break."""
        lasts = self._memory.counts([row[-1] for row in rows], self._counter.count_many)
        closed = [text for row in rows for text in row[:-1]]
        if not closed:
            return lasts
        counts = iter(self._closed.counts(closed, self._count_closed))
        return [
            last + sum(islice(counts, len(row) - 1)) for row, last in zip(rows, lasts, strict=True)
        ]

    def _count_closed(self, texts: Sequence[str]) -> list[int]:
        return self._counter.count_many([text + BREAK for text in texts])
