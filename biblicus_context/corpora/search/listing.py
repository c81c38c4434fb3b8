"""One ranking as it is paged through: what repeats an earlier block left out, worked out as needed."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple

from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.retrieval.duplicates import KeptTexts, TextEntry
from biblicus_context.spec.dedupe import DedupeSpec

_FEWEST: Final = 100
"""Fewer blocks are never asked of a ranker: it would only be asked again."""


class DroppedEvidence(NamedTuple):
    """A block that repeats one that stays."""

    evidence: Evidence
    kept: Evidence
    reason: str
    before: int
    """How many blocks stand before the place it would have had."""


class Listing:
    """The blocks of a ranking that are shown, in their order; pages may come from several threads."""

    def __init__(
        self,
        found: Iterator[RankedBlock],
        fetch: Callable[[Sequence[RankedBlock]], list[Evidence]],
        dedupe: DedupeSpec | None,
        most_per_source: int | None,
    ) -> None:
        self._found = found
        self._fetch = fetch
        self._kept_texts = KeptTexts(dedupe.near) if dedupe else None
        self._most_per_source = most_per_source
        self._shown: list[Evidence] = []
        self._dropped: list[DroppedEvidence] = []
        self._per_source: Tally[str] = Tally()
        self._is_whole = False
        self._lock = Lock()

    def first(self, most: int) -> Sequence[Evidence]:
        """So many of the best, or all there are."""
        with self._lock:
            while len(self._shown) < most and not self._is_whole:
                self._extend(most - len(self._shown))
            return self._shown[:most]

    def dropped(self, start: int, end: int) -> list[DroppedEvidence]:
        """What was left out between two places, once the blocks up to there are known."""
        with self._lock:
            return [each for each in self._dropped if start <= each.before < end]

    def _extend(self, wanted: int) -> None:
        """Take the next ones of the ranking, at most as many as are wanted."""
        found = [*islice(self._found, wanted)]
        self._is_whole = not found
        for evidence in self._fetch([each for each in found if self._may_show(each.document_id)]):
            if self._may_show(evidence.document.id) and not self._repeats(evidence):
                self._per_source[evidence.document.id] += 1
                self._shown.append(evidence)

    def _may_show(self, document: str) -> bool:
        most = self._most_per_source
        return most is None or self._per_source[document] < most

    def _repeats(self, evidence: Evidence) -> bool:
        """Whether it says what a better one says; noted if so."""
        if self._kept_texts is None:
            return False
        entry = TextEntry(evidence.block.id, evidence.block.text, evidence.is_turn)
        duplicate = self._kept_texts.add(len(self._shown), entry)
        if duplicate is not None:
            kept = self._shown[duplicate.kept]
            self._dropped.append(
                DroppedEvidence(evidence, kept, duplicate.describe(kept.block.id), len(self._shown))
            )
        return duplicate is not None


def ranked_blocks(rank: Callable[[int], Sequence[RankedBlock]], most: int) -> Iterator[RankedBlock]:
    """A ranking from the best on, each block once; a ranker is asked again only when it is paged so far.

    It ends with a round that brings nothing new: one of somebody's own may repeat itself for ever.
    """
    asked, told = max(most, _FEWEST), 0
    known: set[str] = set()
    while True:
        found, before = rank(asked), len(known)
        for each in islice(found, told, None):
            if each.block_id not in known:
                known.add(each.block_id)
                yield each
        if len(found) < asked or len(known) == before:
            return
        told, asked = len(found), 2 * max(asked, len(found))
