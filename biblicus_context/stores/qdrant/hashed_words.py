"""Words as numbers, as FastEmbed's `Qdrant/bm25` has them in sparse vectors: the murmur3 hash of each stem."""

from __future__ import annotations

import re
from typing import Final

from biblicus_context.stores.words import stems_of

_WORD: Final = re.compile(r"\w+")
_LONGEST: Final = 40
_BITS: Final = 0xFFFFFFFF


def hashed_words(query: str) -> list[int]:
    """The numbers of the words of a query, and of their stems.

    Stemmers differ in a few words, and other writers of such vectors stem none: so both are looked for. A
    number that no point has costs nothing.

    >>> hashed_words("Lamps") == hashed_words("lamps lamp")
    True
    """
    found = dict[str, None]()
    for word in _WORD.findall(query.lower()):
        if len(word) <= _LONGEST:
            found |= dict.fromkeys((word, *stems_of(word)))
    return sorted({abs(_signed(murmur3(each.encode()))) for each in found})


def murmur3(data: bytes) -> int:
    """The 32 bits of murmur3 with the seed 0.

    >>> murmur3(b"hello"), murmur3(b"")
    (613153351, 0)
    """
    state = 0
    whole = len(data) // 4 * 4
    for at in range(0, whole, 4):
        state ^= _mixed(int.from_bytes(data[at : at + 4], "little"))
        state = (_rotated(state, 13) * 5 + 0xE6546B64) & _BITS
    if whole < len(data):
        state ^= _mixed(int.from_bytes(data[whole:], "little"))
    state ^= len(data)
    for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13)):
        state = ((state ^ state >> shift) * factor) & _BITS
    return state ^ state >> 16


def _mixed(word: int) -> int:
    return _rotated(word * 0xCC9E2D51 & _BITS, 15) * 0x1B873593 & _BITS


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 32 - bits) & _BITS


def _signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value
