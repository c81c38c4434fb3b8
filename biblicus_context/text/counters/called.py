"""A caller's own function as a counter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Called:
    """Asks a function for the tokens of a text.

    >>> Called("letters", len).count("abc")
    3
    """

    estimated: Final = False

    def __init__(self, name: str, function: Callable[[str], int]) -> None:
        self.name = name
        self._function = function

    def count(self, text: str) -> int:
        """What the function says, if that can be a number of tokens."""
        tokens = self._function(text)
        if not isinstance(tokens, int) or tokens < 0:
            raise InputError(
                "a counter has to answer with a whole number of tokens",
                place=f"counter '{self.name}'",
                found=tokens,
            )
        return tokens

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """What the function says of each text."""
        return [self.count(text) for text in texts]
