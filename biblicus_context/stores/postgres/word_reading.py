"""Where the stems of one read are: what is sorted, from its rows, and the newest words after them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from biblicus_context.stores.postgres.driver import Rows
from biblicus_context.stores.postgres.kept_packs import KeptPacks, SortedWords
from biblicus_context.stores.ranking.word_packs import Entries, WordPack
from biblicus_context.stores.sql import Sql

_PLAIN: Final = "sorted"
_PHRASES: Final = "phrases"
_RECENT: Final = "SELECT first, last, data FROM recent WHERE ws = %s AND last > %s ORDER BY last"
_SORTED: Final = (
    "SELECT stem, last, parts, counts{} FROM posting WHERE ws = %s AND stem = ANY (%s)"
    " AND last > %s ORDER BY stem, last"
)


class WordReading:
    """What one read knows; other reads of the process know most of it too."""

    def __init__(self, kept: KeptPacks) -> None:
        self._kept = kept
        self.recent = kept.recent
        self._sorted: dict[tuple[bytes, bool], SortedWords] = {}
        self._asked: dict[str, Sequence[bytes]] = {}

    def missing(
        self, ws: int, sorted_: int, last: int, stems: Sequence[bytes], phrases: Sequence[bytes]
    ) -> dict[str, Sql]:
        """The statements that read what is not known yet, up to a block."""
        found: dict[str, Sql] = {}
        self._asked = {}
        if self.recent.last < last:
            found["recent"] = Sql(_RECENT, (ws, self.recent.last))
        for name, some in ((_PLAIN, stems), (_PHRASES, phrases)):
            known = {each: self._known(name, each).last for each in some}
            older = sorted(each for each, own in known.items() if own < sorted_)
            if older:
                columns = ", offsets" if name == _PHRASES else ""
                after = min(known[each] for each in older)
                found[name] = Sql(_SORTED.format(columns), (ws, older, after))
                self._asked[name] = older
        return found

    def take(self, found: Mapping[str, Rows], last: int, sorted_: int) -> None:
        """Keep what was read, of one moment in which words up to a block were sorted."""
        newer = [WordPack.read(*each) for each in found.get("recent", ())]
        last = last if "recent" in found else self.recent.last
        self.recent = self.recent.extended(newer, last, sorted_)
        self._kept.keep_recent(self.recent)
        for name, stems in self._asked.items():
            entries: dict[bytes, list[Entries]] = {}
            known = {each: self._known(name, each) for each in stems}
            for stem, end, *packs in found[name]:
                if end > known[stem].last:
                    entries.setdefault(stem, []).append(Entries.unpacked(*packs))
            for each in stems:
                own = Entries.chained([known[each].entries, *entries.get(each, ())])
                words = self._sorted[each, name == _PHRASES] = SortedWords(own, sorted_)
                self._kept.keep_sorted(each, words, with_offsets=name == _PHRASES)
        self._asked = {}

    def of(self, stem: bytes, *, with_offsets: bool) -> Entries:
        """Where a stem is."""
        known = self._known(_PHRASES if with_offsets else _PLAIN, stem).entries
        newer = [own for each in self.recent.packs if (own := each.of(stem)) is not None]
        return Entries.chained([known, *newer])

    def _known(self, name: str, stem: bytes) -> SortedWords:
        key = stem, name == _PHRASES
        if key not in self._sorted:
            self._sorted[key] = self._kept.sorted(stem, with_offsets=key[1])
        return self._sorted[key]
