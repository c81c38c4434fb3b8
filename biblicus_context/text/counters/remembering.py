"""A counter that counts every text once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from biblicus_context.text.counters.memory import Memory
from biblicus_context.text.counters.paragraphs import BREAK, ending, paragraphs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from biblicus_context.text.counters.protocol import Counter

_SHORTEST_TO_CUT: Final = 3_000
_ENTRIES: Final = 65_536
_CHARACTERS: Final = 8_000_000
_ENDINGS: Final = 1_024


class Remembering:
    """Remembers another counter's figures by text, and those of a long text by paragraph.

    `splits_at_paragraphs` says that the other counter's figure for a text is the sum of those for
    its `paragraphs`; a text joined from remembered paragraphs then costs look-ups only. The other
    counter has to answer the same for the same text, always.

    >>> from biblicus_context.text.counters.whitespace import Whitespace
    >>> Remembering(Whitespace()).count("one two")
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
        self._whole = Memory(entries, characters)
        self._closed = Memory(entries, characters)
        self._endings = Memory(_ENDINGS, characters)

    @property
    def name(self) -> str:
        """The name of the other counter."""
        return self._counter.name

    @property
    def estimated(self) -> bool:
        """Whether the other counter estimates."""
        return self._counter.estimated

    def count(self, text: str) -> int:
        """Tokens of one text."""
        known = self._whole.get(text)
        return self.count_many((text,))[0] if known is None else known

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text; what is not remembered is counted together."""
        return _recalled(self._whole, texts, self._count_whole)

    def _count_whole(self, texts: Sequence[str]) -> list[int]:
        if not (self._splits_at_paragraphs and any(BREAK in text for text in texts)):
            return self._counter.count_many(texts)
        rows = [self._parts(text) for text in texts]
        if all(len(row) == 1 for row in rows):
            return self._counter.count_many(texts)
        lasts = _recalled(self._whole, [row[-1] for row in rows], self._counter.count_many)
        closed = iter(
            _recalled(self._closed, [part for row in rows for part in row[:-1]], self._count_closed)
        )
        return [
            last + sum(next(closed) for _ in row[:-1])
            for row, last in zip(rows, lasts, strict=True)
        ]

    def _parts(self, text: str) -> list[str]:
        if len(text) >= _SHORTEST_TO_CUT or text.endswith(BREAK):
            return paragraphs(text)
        return [text]

    def _count_closed(self, parts: Sequence[str]) -> list[int]:
        """Tokens of paragraphs together with the break behind them."""
        known = self._closed_from_whole(parts)
        new = [part + BREAK for part, count in zip(parts, known, strict=True) if count is None]
        counted = iter(self._counter.count_many(new) if new else ())
        return [next(counted) if count is None else count for count in known]

    def _closed_from_whole(self, parts: Sequence[str]) -> list[int | None]:
        wholes = self._whole.get_many(parts)
        endings = [
            None if whole is None else ending(part)
            for part, whole in zip(parts, wholes, strict=True)
        ]
        distinct = [marks for marks in dict.fromkeys(endings) if marks is not None]
        added = dict(
            zip(distinct, _recalled(self._endings, distinct, self._count_endings), strict=True)
        )
        return [
            None if whole is None or marks is None else whole + added[marks]
            for whole, marks in zip(wholes, endings, strict=True)
        ]

    def _count_endings(self, endings: Sequence[str]) -> list[int]:
        """What a break adds behind the marks that a paragraph closes with."""
        return [
            self._counter.count(f"a{marks}{BREAK}") - self._counter.count(f"a{marks}")
            for marks in endings
        ]


def _recalled(
    memory: Memory, texts: Sequence[str], count_many: Callable[[Sequence[str]], list[int]]
) -> list[int]:
    known = memory.get_many(texts)
    if None not in known:
        return cast("list[int]", known)
    new = [text for text, count in zip(texts, known, strict=True) if count is None]
    new = list(dict.fromkeys(new))
    counted = dict(zip(new, count_many(new), strict=True))
    memory.put(counted)
    return [
        counted[text] if count is None else count for text, count in zip(texts, known, strict=True)
    ]
