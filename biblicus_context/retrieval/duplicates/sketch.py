"""A sketch of a text: a few of its word sequences, chosen by content, so that near-duplicates share some."""

from __future__ import annotations

from collections.abc import Sequence
from operator import xor
from typing import Final
from zlib import crc32

_LONG_WORD: Final = 24
"""A longer word is a script without spaces, or data: it is split into pieces."""
_FEW_WORDS: Final = 8
"""In a shorter text one changed word is a large part, so it is split into pieces as well."""
_PIECE: Final = 4
_SIZE: Final = 14
_FACTORS: Final = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_MASK: Final = 2**30 - 1


class Sketcher:
    """Sketches texts, and remembers the hashes of words."""

    def __init__(self) -> None:
        self._hashes = _Hashes()

    def sketch(self, words: Sequence[str]) -> list[int]:
        """The lowest hashes of three words in a row; they are the same in every process."""
        if len(words) < _FEW_WORDS:
            words = _pieces(" ".join(words))
        elif max(map(len, words)) > _LONG_WORD:
            words = [piece for word in words for piece in _short(word)]
        # Loops that run in C: they see every word of ten thousand texts.
        first, second, third = zip(*map(self._hashes.__getitem__, words), strict=True)
        nothing = self._hashes[""]
        second, third = (*second[1:], nothing[1]), (*third[2:], nothing[2], nothing[2])
        return sorted(set(map(xor, map(xor, first, second), third)))[:_SIZE]


class _Hashes(dict[str, tuple[int, int, int]]):
    """Three hashes per word, one for each position in a sequence."""

    def __missing__(self, word: str) -> tuple[int, int, int]:
        # Combined by xor, plain checksums of words of one length would often be the same.
        checksum = crc32(word.encode(errors="replace")) + 1
        first, second, third = (checksum * factor for factor in _FACTORS)
        hashes = self[word] = _mixed(first), _mixed(second), _mixed(third)
        return hashes


def _mixed(product: int) -> int:
    return (product >> 32 ^ product) & _MASK


def _short(word: str) -> Sequence[str]:
    return _pieces(word) if len(word) > _LONG_WORD else (word,)


def _pieces(text: str) -> list[str]:
    if len(text) <= _PIECE:
        return [text]
    return [text[start : start + _PIECE] for start in range(len(text) - _PIECE + 1)]
