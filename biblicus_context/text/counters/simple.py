"""Counters without a vocabulary: words, characters, or a caller's own function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CHARACTERS_PER_TOKEN: Final = 4


class WhitespaceCounter:
    """Counts words as Biblicus does: runs of characters between white space.

    >>> WhitespaceCounter().count("one two  three")
    3
    """

    name: Final = "whitespace"
    estimated: Final = False

    def count(self, text: str) -> int:
        """The words of one text."""
        return len(text.split())

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The words of each text."""
        return [len(text.split()) for text in texts]


class CharacterCounter:
    """Counts one token for every four characters, rounded up.

    >>> CharacterCounter().count("abcde")
    2
    """

    name: Final = "characters"
    estimated: Final = False

    def count(self, text: str) -> int:
        """A quarter of the characters."""
        return -(-len(text) // _CHARACTERS_PER_TOKEN)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """A quarter of the characters of each text."""
        return [self.count(text) for text in texts]


class FunctionCounter:
    """Calls a function for the tokens of a text.

    >>> FunctionCounter("letters", len).count("abc")
    3
    """

    estimated: Final = False

    def __init__(self, name: str, function: Callable[[str], int]) -> None:
        self.name = name
        self._function = function

    def count(self, text: str) -> int:
        """The function's figure if it can be a number of tokens."""
        tokens = self._function(text)
        if not isinstance(tokens, int) or tokens < 0:
            raise InputError(
                "a counter has to return a whole number of tokens",
                place=f"counter '{self.name}'",
                found=tokens,
            )
        return tokens

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The function's figure for each text."""
        return [self.count(text) for text in texts]
