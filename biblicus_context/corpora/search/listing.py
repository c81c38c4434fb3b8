"""One ranking as it is paged through, without duplicates; it is computed as far as it is paged."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.retrieval.duplicates import KeptTexts, TextEntry
from biblicus_context.spec.dedupe import DedupeSpec

_FEWEST: Final = 100
"""A ranker is called for at least this many blocks: it would only be called again for the rest."""
_FEWEST_AGAIN: Final = 8
"""Hits that are read at once in the place of duplicates; each time twice as many."""


class DroppedEvidence(NamedTuple):
    """A hit that is left out because it duplicates one that is kept."""

    evidence: Evidence
    kept: Evidence
    reason: str
    before: int
    """How many hits come before the place it would have had: the page that reports it."""


class Listing:
    """The hits of a ranking that are shown, in order."""

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

    def first(self, most: int) -> Sequence[Evidence]:
        """Up to this many of the best hits."""
        least = 0
        while len(self._shown) < most and not self._is_whole:
            self._extend(max(most - len(self._shown), least))
            # Where most of a ranking are duplicates, each read would else bring one hit.
            least = max(_FEWEST_AGAIN, 2 * least)
        return self._shown[:most]

    def dropped(self, start: int, end: int) -> list[DroppedEvidence]:
        """What was left out between two positions; call `first` up to the end before."""
        return [each for each in self._dropped if start <= each.before < end]

    def _extend(self, wanted: int) -> None:
        """Take the next blocks of the ranking, up to as many as are wanted."""
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
        """Whether it duplicates a better hit; it is then recorded as dropped."""
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
    """A ranking from the best block on, each block once; the ranker is called again as far as needed.

    It ends after a call that brings no new block: a ranker of a caller may repeat itself for ever.
    """
    wanted, read = max(most, _FEWEST), 0
    known: set[str] = set()
    while True:
        found, before = rank(wanted), len(known)
        for each in islice(found, read, None):
            if each.block_id not in known:
                known.add(each.block_id)
                yield each
        if len(found) < wanted or len(known) == before:
            return
        read, wanted = len(found), 2 * max(wanted, len(found))
