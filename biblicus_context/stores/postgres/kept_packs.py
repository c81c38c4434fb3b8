"""What one process keeps of packs that never change: names of blocks, and where words are.

It lives in the memory of the rankings, for an owner, and all of it can be read again. Of blocks that are
gone it may know more than the database: nobody can see them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from biblicus_context.base.arrays import Flags, Integers
from biblicus_context.stores.errors import MalformedError
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.ranking.memory import MEMORY
from biblicus_context.stores.ranking.spelling import LONGEST_STEM, StemIndex
from biblicus_context.stores.ranking.visible_blocks import view_key
from biblicus_context.stores.ranking.word_packs import NOWHERE, Entries, WordPack
from biblicus_context.stores.results import BlockPlace
from biblicus_context.stores.source import WIDTH, Message, Owner, ReadState

_BYTES_OF_A_NAME: Final = 150


@dataclass(frozen=True, slots=True)
class KeptNames:
    """What blocks are called, by row: ids never change."""

    rows: Integers
    table: Integers
    """The short columns of each."""
    names: tuple[tuple[str, str, str | None], ...]
    """The id of each, that of its document, and its session."""
    last: int = 0
    """The last row that is known, or known to be missing."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        return self.rows.nbytes + self.table.nbytes + _BYTES_OF_A_NAME * len(self.names)

    def extended(self, packs: Sequence[StoredPack], last: int) -> KeptNames:
        """These and the blocks of newer packs."""
        newer = [columns_of(each.columns) for each in packs]
        table = np.concatenate([np.empty((0, WIDTH), np.int64), *newer])
        names = [name for each in packs for name in names_of(each.names)]
        fresh = table[:, 0] > self.last
        added = tuple(name for name, is_new in zip(names, fresh.tolist(), strict=True) if is_new)
        table = table[fresh]
        return KeptNames(
            np.concatenate([self.rows, table[:, 0]]),
            np.concatenate([self.table, table]),
            self.names + added,
            max(last, self.last),
        )

    def places(self, rows: Sequence[int], seen: Flags) -> dict[int, BlockPlace] | None:
        """The places of these blocks, if all of them are known and seen."""
        wanted = np.array(rows, dtype=np.int64)
        at = self.rows.searchsorted(wanted)
        if len(at) and at.max() >= len(self.rows):
            return None
        table = self.table[at]
        if not np.array_equal(table[:, 0], wanted) or table[:, 1].max(initial=0) >= len(seen):
            return None
        if not seen[table[:, 1]].all():
            return None
        places = {}
        for row, place, position, tokens in zip(
            rows, at.tolist(), table[:, 3].tolist(), table[:, 4].tolist(), strict=True
        ):
            block, document, session = self.names[place]
            if not block:  # it is gone, and its name with it
                return None
            places[row] = BlockPlace(block, document, session, position, tokens)
        return places


@dataclass(frozen=True, slots=True)
class StoredPack:
    """A row of `pack`."""

    document: int
    """The last document."""
    block: int
    """The last block."""
    columns: bytes
    names: str
    messages: str


def columns_of(data: bytes) -> Integers:
    """The short columns of the blocks of a pack, one row each."""
    if len(data) % (8 * WIDTH):
        raise MalformedError("a pack of blocks is malformed")
    return np.frombuffer(data, dtype="<i8").reshape(-1, WIDTH).astype(np.int64)


def names_of(names: str) -> list[tuple[str, str, str | None]]:
    """What the blocks of a pack are called."""
    return [(block, document, session) for block, document, session in json.loads(names)]


def messages_of(messages: str) -> list[Message]:
    """The messages among the documents of a pack."""
    return [Message(*each) for each in json.loads(messages)]


_NO_NAMES: Final = KeptNames(np.empty(0, np.int64), np.empty((0, WIDTH), np.int64), ())


@dataclass(frozen=True, slots=True)
class RecentWords:
    """The words of the newest blocks."""

    packs: tuple[WordPack, ...] = ()
    last: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        return sum(each.nbytes for each in self.packs)

    def extended(self, newer: Iterable[WordPack], last: int, sorted_: int) -> RecentWords:
        """With newer packs, each in the place of those that it was made of, and without what is sorted."""
        packs = [*self.packs]
        for each in newer:
            packs = [*(known for known in packs if known.first < each.first), each]
        kept = tuple(each for each in packs if each.last > sorted_)
        return RecentWords(kept, max(last, self.last))


@dataclass(frozen=True, slots=True)
class SortedWords:
    """The entries of one stem that are sorted, up to a block."""

    entries: Entries
    last: int

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        own = self.entries
        return own.parts.nbytes + own.counts.nbytes + own.offsets.nbytes


@dataclass(frozen=True, slots=True)
class StemVocabulary:
    """The stems of all blocks: those that are sorted, and later ones."""

    known: frozenset[bytes]
    parts: tuple[StemIndex, ...]
    sorted: int
    """The last block whose words were sorted when they were read."""

    @classmethod
    def of(cls, stems: Iterable[bytes], sorted_: int) -> StemVocabulary:
        """The stems that are sorted."""
        return cls(frozenset(), (), sorted_)._with(stems)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        return 100 * len(self.known) + sum(each.nbytes for each in self.parts)

    def with_recent(self, recent: RecentWords) -> StemVocabulary:
        """With the stems of newer blocks."""
        return self._with(stem for each in recent.packs for stem in each.stems)

    def like(self, stems: Sequence[str]) -> dict[str, list[str]]:
        """For each stem those that share a fifth of its trigrams."""
        found = [each.like(stems) for each in self.parts]
        return {each: [other for part in found for other in part[each]] for each in stems}

    def _with(self, stems: Iterable[bytes]) -> StemVocabulary:
        new = sorted({*stems} - self.known)
        if not new:
            return self
        texts = [text for each in new if len(text := _text(each)) <= LONGEST_STEM and text]
        parts = [*self.parts, StemIndex(texts)]
        while len(parts) > 1 and len(parts[-2]) <= 2 * len(
            parts[-1]
        ):  # so that few are looked through
            last = parts.pop()
            parts[-1] = StemIndex([*parts[-1].stems, *last.stems])
        return StemVocabulary(self.known | {*new}, tuple(parts), self.sorted)


def _text(stem: bytes) -> str:
    """A stem; a long one is known by its digest, and is not compared."""
    return "" if stem.startswith(b"\xff") else stem.decode()


class KeptPacks:
    """What is kept for one owner, as long as its packs stay."""

    def __init__(self, owner: Owner, pin: ReadState, principal: Principal) -> None:
        self._key = owner, pin.repacked
        self._seen = owner, "seen", view_key(principal), pin.version, pin.hidden

    @property
    def names(self) -> KeptNames:
        """What blocks are called."""
        return cast("KeptNames | None", MEMORY.get((*self._key, "names"))) or _NO_NAMES

    def keep_names(self, names: KeptNames) -> None:
        """Keep what blocks are called."""
        if names.last >= self.names.last:
            MEMORY.put((*self._key, "names"), names)

    @property
    def recent(self) -> RecentWords:
        """The words that are not sorted."""
        return cast("RecentWords | None", MEMORY.get((*self._key, "recent"))) or RecentWords()

    def keep_recent(self, recent: RecentWords) -> None:
        """Keep the words that are not sorted."""
        if recent.last >= self.recent.last:
            MEMORY.put((*self._key, "recent"), recent)

    def sorted(self, stem: bytes, *, with_offsets: bool) -> SortedWords:
        """What is known of a stem."""
        known = cast("SortedWords | None", MEMORY.get((*self._key, with_offsets, stem)))
        return known or SortedWords(NOWHERE, 0)

    def keep_sorted(self, stem: bytes, words: SortedWords, *, with_offsets: bool) -> None:
        """Keep the entries of a stem."""
        MEMORY.put((*self._key, with_offsets, stem), words)

    @property
    def vocabulary(self) -> StemVocabulary | None:
        """The stems of all blocks, if misspelt words were looked for before."""
        return cast("StemVocabulary | None", MEMORY.get((*self._key, "vocabulary")))

    def keep_vocabulary(self, vocabulary: StemVocabulary) -> None:
        """Keep the stems of all blocks."""
        MEMORY.put((*self._key, "vocabulary"), vocabulary)

    @property
    def seen(self) -> Flags | None:
        """Which documents the principal sees, by row, if that was read before."""
        kept = cast("_Seen | None", MEMORY.get(self._seen))
        return None if kept is None else kept.flags

    def keep_seen(self, documents: Integers) -> None:
        """Keep which documents the principal sees."""
        flags = np.zeros(int(documents.max(initial=0)) + 1, dtype=np.bool_)
        flags[documents] = True
        MEMORY.put(self._seen, _Seen(flags))


@dataclass(frozen=True, slots=True)
class _Seen:
    flags: Flags

    @property
    def nbytes(self) -> int:
        return self.flags.nbytes
