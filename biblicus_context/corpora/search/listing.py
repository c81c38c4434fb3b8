"""One ranking as it is paged through, without repetitions; it is computed as far as it is paged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing.left_out import LeftOut
from biblicus_context.retrieval.choosing.repetition import KeptBlocks
from biblicus_context.retrieval.packs.pack import Cause
from biblicus_context.spec.choosing import ChoosingSpec

_FEWEST: Final = 100
"""A ranker is called for at least this many blocks: it would only be called again for the rest."""
_FEWEST_AGAIN: Final = 8
"""Hits that are read at once in the place of repetitions; each time twice as many."""
_MOST_LISTED: Final = 100
"""Hits that are reported as left out before they are read: a ranking may have any number of them."""


class LostHits:
    """What a ranking leaves out, each with the number of hits that come before its place."""

    def __init__(self) -> None:
        self._lost: list[tuple[int, LeftOut]] = []
        self._unread = 0
        self.kept = 0
        """The hits that are shown so far."""

    def add(self, left_out: LeftOut) -> None:
        """Report a hit that was read."""
        self._lost.append((self.kept, left_out))

    def add_unread(
        self,
        hit: RankedBlock,
        cause: Cause,
        figure: int | None = None,
        detail: str = "",
        score: float | None = None,
    ) -> None:
        """Report a hit that was not read, as long as there are few."""
        self._unread += 1
        if self._unread <= _MOST_LISTED:
            unread = Candidate(hit.block_id, text="", tokens=0, document=hit.document_id)
            self.add(LeftOut(unread, cause, figure, detail, score))

    def between(self, start: int, end: int) -> list[LeftOut]:
        """What is left out between two positions: the page that reports it."""
        return [each for before, each in self._lost if start <= before < end]


class Listing:
    """The hits of a ranking that are shown, in order."""

    def __init__(
        self,
        found: Iterator[RankedBlock],
        fetch: Callable[[Sequence[RankedBlock]], list[Evidence]],
        spec: ChoosingSpec,
        lost: LostHits,
    ) -> None:
        """`lost` gets what is left out here, next to what was left out before."""
        self._found = found
        self._fetch = fetch
        self._most_per_document = spec.maximum_items_per_source
        self._kept = KeptBlocks(spec)
        self._lost = lost
        self._shown: list[Evidence] = []
        self._is_whole = False

    def first(self, most: int) -> Sequence[Evidence]:
        """Up to this many of the best hits."""
        least = 0
        while len(self._shown) < most and not self._is_whole:
            self._extend(max(most - len(self._shown), least))
            # Where most of a ranking are repetitions, each read would else bring one hit.
            least = max(_FEWEST_AGAIN, 2 * least)
        return self._shown[:most]

    def left_out(self, start: int, end: int) -> list[LeftOut]:
        """What was left out between two positions; call `first` up to the end before."""
        return self._lost.between(start, end)

    def _extend(self, wanted: int) -> None:
        """Take the next blocks of the ranking, up to as many as are wanted."""
        found = [*islice(self._found, wanted)]
        self._is_whole = not found
        if self._most_per_document is not None:
            found = [each for each in found if self._may_be_read(each)]
        for evidence in self._fetch(found):
            block = evidence.block
            known = Candidate(block.id, text=block.text, tokens=0, is_turn=evidence.is_turn)
            lost = self._kept.keep(known, evidence.document.id)
            if lost is None:
                self._shown.append(evidence)
                self._lost.kept += 1
            else:
                self._lost.add(lost)

    def _may_be_read(self, hit: RankedBlock) -> bool:
        """Whether its document may have a further block; texts of others need not be read."""
        if not self._kept.is_full(hit.document_id):
            return True
        self._lost.add_unread(hit, "limit", self._most_per_document, "per-document ")
        return False


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
