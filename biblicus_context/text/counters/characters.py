"""One token for every four characters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHARACTERS_PER_TOKEN: Final = 4


class Characters:
    """A rule of thumb that needs no vocabulary.

    >>> Characters().count("abcde")
    2
    """

    name: Final = "characters"
    estimated: Final = False

    def count(self, text: str) -> int:
        """A quarter of the characters, rounded up."""
        return -(-len(text) // _CHARACTERS_PER_TOKEN)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """A quarter of the characters of each text, rounded up."""
        return [self.count(text) for text in texts]
