"""A sketch of a text: a few of its word sequences, chosen by content, so that near-duplicates share some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from zlib import crc32

_LONG_WORD: Final = 24
"""A longer word is a script without spaces, or data: it is split into pieces."""
_FEW_WORDS: Final = 8
"""In a shorter text one changed word is a large part, so it is split into pieces as well."""
_PIECE: Final = 4
_SIZE: Final = 14
_SIZE_OF_FEW: Final = 48
"""Of pieces: one changed word is in many of them."""


def sketch(words: Sequence[str]) -> list[int]:
    """The lowest checksums of three words in a row; they are the same in every process."""
    size = _SIZE
    if len(words) < _FEW_WORDS:
        size = _SIZE_OF_FEW
        words = _pieces(" ".join(words))
    elif max(map(len, words)) > _LONG_WORD:
        words = [piece for word in words for piece in _short(word)]
    # Loops that run in C: they see every word of ten thousand texts. No word has a line break.
    first = "\n".join((*words, "", "")).encode(errors="replace").split(b"\n")
    second, third = first[1:], first[2:]
    return sorted(set(map(crc32, third, map(crc32, second, map(crc32, first)))))[:size]


def _short(word: str) -> Sequence[str]:
    return _pieces(word) if len(word) > _LONG_WORD else (word,)


def _pieces(text: str) -> list[str]:
    if len(text) <= _PIECE:
        return [text]
    return [text[start : start + _PIECE] for start in range(len(text) - _PIECE + 1)]
