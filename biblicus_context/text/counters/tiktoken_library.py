"""Counting with tiktoken, the reference for OpenAI's vocabularies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from biblicus_context.base.forks import child_lock
from biblicus_context.errors import ContextError, UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tiktoken import Encoding

ONLY_HERE: Final = ("gpt2", "r50k_base", "p50k_base", "p50k_edit")
"""The encodings that no bundled vocabulary is equal to."""

_LONGEST_PIECE: Final = 100_000


class TiktokenCounter:
    """Counts with one of tiktoken's encodings; control tokens are ordinary text.

    The vocabulary is loaded at the first count: from the folder TIKTOKEN_CACHE_DIR, or else, as
    tiktoken does, from the network.
    """

    estimated: Final = False

    def __init__(self, encoding: str) -> None:
        self.name = f"tiktoken:{encoding}"
        self._encoding_name = encoding
        self._lock = child_lock()
        self._encoding: Encoding | None = None

    def count(self, text: str) -> int:
        """The tokens of one text."""
        encoding = self._encoding or self._ready()
        return sum(len(encoding.encode_ordinary(piece)) for piece in pieces(text))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        return [self.count(text) for text in texts]

    def _ready(self) -> Encoding:
        with self._lock:
            if self._encoding is None:
                self._encoding = _loaded(self._encoding_name)
            return self._encoding


def pieces(text: str) -> Iterator[str]:
    """Split a text that tiktoken cannot take whole: long runs of spaces overflow its stack.

    The cuts fall before a space that follows a letter, where a token ends anyway. A run without
    such a place is cut anywhere, which may add a token but never removes one.
    """
    start = 0
    while len(text) - start > _LONGEST_PIECE:
        end = _last_word_end(text, start, start + _LONGEST_PIECE)
        yield text[start:end]
        start = end
    yield text[start:]


def _last_word_end(text: str, start: int, limit: int) -> int:
    space = text.rfind(" ", start + 1, limit)
    while space > start:
        if text[space - 1].isascii() and text[space - 1].isalpha():
            return space
        space = text.rfind(" ", start + 1, space)
    return limit


def _loaded(name: str) -> Encoding:
    import tiktoken  # loaded at the first count

    if name not in tiktoken.list_encoding_names():
        raise UnknownNameError("Counter", name, tiktoken.list_encoding_names(), place="tiktoken")
    try:
        return tiktoken.get_encoding(name)
    except OSError as error:
        raise ContextError(
            f"tiktoken could not load its encoding '{name}': {error}",
            fix="Put its file into the folder that TIKTOKEN_CACHE_DIR names, or use the counter "
            "without 'tiktoken:', which needs no file.",
        ) from error
