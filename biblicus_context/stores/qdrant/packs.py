"""Words and embeddings as packs: each is one point, and a search reads the few that it needs by id.

The words of a range of blocks are spread over buckets by stem, so that a query reads some thousand bytes for
each of its words, and what is removed leaves some thousand bytes to be written again for each of its own.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers, Rows
from biblicus_context.stores.errors import MalformedError
from biblicus_context.stores.qdrant.head import PackSegment
from biblicus_context.stores.qdrant.texts import packed_bytes, unpacked_bytes
from biblicus_context.stores.ranking.word_packs import Entries, WordPack, packed_words

_BYTES_OF_A_BUCKET: Final = 8192
_MOST_BUCKETS: Final = 2048
_STEMS_OF_A_BUCKET: Final = 8
"""At least, on average: an empty bucket is a point for nothing."""
_BYTES_OF_EMBEDDINGS: Final = 512 * 1024

Payloads = Iterator[tuple[str, dict[str, Any]]]
"""Points by id, without what all points of a write have."""


def bucket_of(stem: bytes, buckets: int) -> int:
    """The bucket that a stem is in."""
    return zlib.crc32(stem) % buckets


class WordBuckets(NamedTuple):
    """The words of a range of blocks, from row 0 on."""

    rows: int
    words: int
    buckets: Sequence[WordPack | None]

    @classmethod
    def of(cls, stems: Mapping[bytes, Entries], rows: int) -> WordBuckets:
        """From the entries of each stem, whose rows begin with 0."""
        size = sum(10 * len(each.parts) + 4 * len(each.offsets) for each in stems.values())
        count = min(size // _BYTES_OF_A_BUCKET, len(stems) // _STEMS_OF_A_BUCKET, _MOST_BUCKETS)
        count = max(1, count)
        spread: list[dict[bytes, Entries]] = [{} for _ in range(count)]
        for stem, own in stems.items():
            spread[bucket_of(stem, count)][stem] = own
        packs = [packed_words(each) if each else None for each in spread]
        return cls(rows, sum(len(each.offsets) for each in stems.values()), packs)

    def segment(self, write: str, first: int) -> PackSegment:
        """Where they are kept."""
        return PackSegment(write, first, first + self.rows - 1, self.words, len(self.buckets))

    def points(self, segment: PackSegment) -> Payloads:
        """As they are kept."""
        for n, each in enumerate(self.buckets):
            yield segment.part("words", n), {"data": written_words(each)}

    def vocabulary(self, segment: PackSegment) -> Payloads:
        """Their stems, which misspelt words are compared with."""
        stems = (stem for each in self.buckets if each is not None for stem in each.stems)
        yield segment.part("stems", 0), {"data": written_vocabulary(stems)}


def entries_of(pack: WordPack) -> dict[bytes, Entries]:
    """The entries of each stem of a pack."""
    return {stem: own for stem in pack.stems if (own := pack.of(stem)) is not None}


def written_words(pack: WordPack | None) -> str:
    """The words of a bucket, as they are kept."""
    return "" if pack is None else packed_bytes(pack.data)


def read_words(data: str, first: int) -> WordPack | None:
    """The words of a bucket of a segment that begins with this row."""
    if not data:
        return None
    return WordPack.read(0, 0, unpacked_bytes(data)).moved(first)


def written_vocabulary(stems: Iterable[bytes]) -> str:
    """Stems, as they are kept: a long one is known by its digest, and is not compared."""
    texts = (each for each in stems if each and not each.startswith(b"\xff"))
    return packed_bytes(b"\0".join(sorted(texts)))


def read_vocabulary(data: str) -> list[str]:
    """The stems of a segment."""
    return [each.decode() for each in unpacked_bytes(data).split(b"\0") if each]


class Embeddings(NamedTuple):
    """The embeddings of one model for a range of blocks, from row 0 on."""

    rows: Integers
    data: Rows

    def segment(self, write: str, model: str, first: int, rows: int) -> PackSegment:
        """Where they are kept."""
        starts = tuple(int(self.rows[low]) for low, _ in self._bounds)
        last = first + rows - 1
        return PackSegment(write, first, last, len(self.rows), len(starts), model, starts)

    @property
    def _bounds(self) -> list[tuple[int, int]]:
        step = max(1, _BYTES_OF_EMBEDDINGS // (4 * self.data.shape[1] + 4))
        return [*pairwise([*range(0, len(self.rows), step), len(self.rows)])]

    def points(self, segment: PackSegment) -> Payloads:
        """As they are kept."""
        for n, (low, high) in enumerate(self._bounds):
            yield segment.part("vectors", n), {"data": self.part(low, high)}

    def part(self, low: int, high: int) -> str:
        """Some of them, as they are kept."""
        rows = self.rows[low:high].astype("<u4").tobytes()
        own = len(rows).to_bytes(4, "little") + rows + self.data[low:high].tobytes()
        return b64encode(own).decode()


def read_embeddings(data: str, first: int, size: int) -> tuple[Integers, Rows]:
    """The rows and the embeddings of a part of a segment that begins with this row."""
    own = b64decode(data)
    length = int.from_bytes(own[:4], "little")
    rows = np.frombuffer(own, "<u4", length // 4, 4).astype(np.int64) + first
    found = np.frombuffer(own, "<f4", offset=4 + length)
    if len(found) != len(rows) * size:
        raise MalformedError("a pack of embeddings is malformed")
    return rows, found.reshape(-1, size)
