"""Merges hits and the blocks around them into passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from biblicus_context.retrieval.candidate import Candidate


@dataclass(frozen=True, slots=True)
class Passage:
    """Adjacent blocks without a gap; `best` is the hit that represents them."""

    best: Candidate
    members: tuple[Candidate, ...]

    @property
    def score(self) -> float:
        """The score of its best block."""
        return self.best.score

    @property
    def tokens(self) -> int:
        """The tokens of its blocks."""
        return sum(each.tokens for each in self.members)

    def text(self, join_with: str) -> str:
        """The blocks as one text."""
        return join_with.join(each.text for each in self.members)


def passages(hits: Iterable[Candidate], around: Iterable[Candidate] = ()) -> list[Passage]:
    """Hits and the blocks around them as passages, each block in one of them; best passage first.

    A run of blocks without a hit is left out.

    >>> talk = [Candidate(id=str(n), text=str(n), tokens=1, sequence="t", position=n) for n in range(5)]
    >>> [passage] = passages(hits=[talk[2]], around=[talk[1], talk[3]])
    >>> passage.text(" ")
    '1 2 3'
    """
    by_id = {each.id: each for each in hits}
    known = {**{each.id: each for each in around}, **by_id}
    found = [
        Passage(min(best, key=_rank), tuple(run))
        for run in _runs(known.values())
        if (best := [each for each in run if each.id in by_id])
    ]
    return sorted(found, key=lambda passage: _rank(passage.best))


def _runs(blocks: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    ordered = sorted(blocks, key=lambda each: (_sequence(each), each.position, each.id))
    for _, sequence in groupby(ordered, key=_sequence):
        run: list[Candidate] = []
        for block in sequence:
            if run and block.position != run[-1].position + 1:
                yield run
                run = []
            run.append(block)
        yield run


def _sequence(candidate: Candidate) -> str:
    """A block without a sequence is a sequence of its own."""
    return candidate.sequence if candidate.sequence is not None else f"\0{candidate.id}"


def _rank(candidate: Candidate) -> tuple[float, str]:
    return (-candidate.score, candidate.id)
