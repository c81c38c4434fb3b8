"""One token for every run of characters between white space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


class Whitespace:
    """Counts words as Biblicus does.

    >>> Whitespace().count("one two  three")
    3
    """

    name: Final = "whitespace"
    estimated: Final = False

    def count(self, text: str) -> int:
        """Words of one text."""
        return len(text.split())

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Words of each text."""
        return [len(text.split()) for text in texts]
