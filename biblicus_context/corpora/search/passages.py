"""Hits with the blocks around them, merged into passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from biblicus_context.corpora.evidence import Evidence, as_written
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.spec.retriever_settings import SearchSpec
from biblicus_context.stores import Block

_BETWEEN_TURNS: Final = "\n"


class Passages:
    """Which hit takes which blocks around it: better hits first, each block once.

    What a hit takes depends only on the hits before it, so that pages of any size are disjoint.
    """

    def __init__(self, query: SearchQuery, spec: SearchSpec) -> None:
        self._query = query
        self._spec = spec
        self._taken: dict[str, int] = {}
        """The rank of the hit that has taken each block."""
        self._seen = 0

    def of(self, hits: Sequence[Evidence], start: int) -> list[Evidence]:
        """The hits from this position on as passages, without those in the passage of a better hit."""
        self._take(hits)
        taken = {block: rank for block, rank in self._taken.items() if start <= rank < len(hits)}
        own = [each for rank, each in enumerate(hits) if taken.get(each.block.id) == rank]
        return self._merged(own, [*taken])

    def _take(self, hits: Sequence[Evidence]) -> None:
        fresh = hits[self._seen :]
        near = self._near(fresh)
        for rank, hit in enumerate(fresh, self._seen):
            if hit.block.id not in self._taken:
                self._taken.update(dict.fromkeys(self._run(hit, near), rank))
        self._seen = max(self._seen, len(hits))

    def _near(self, hits: Sequence[Evidence]) -> dict[str, dict[int, str]]:
        """For each hit the blocks around it, by distance."""
        found: dict[str, dict[int, str]] = {each.block.id: {} for each in hits}
        around = self._spec.neighbours
        for is_turn in (False, True):
            reach = around.turns if is_turn else around.blocks
            ids = [each.block.id for each in hits if each.is_turn == is_turn]
            if ids and reach:
                for each in self._query.view.nearby(ids, reach=reach):
                    found[each.of][each.distance] = each.place.block_id
        return found

    def _run(self, hit: Evidence, near: dict[str, dict[int, str]]) -> Iterator[str]:
        """The hit and the blocks on both sides, up to one that is taken."""
        yield hit.block.id
        around = near[hit.block.id]
        for step in (1, -1):
            distance = step
            while distance in around and around[distance] not in self._taken:
                yield around[distance]
                distance += step

    def _merged(self, hits: Sequence[Evidence], blocks: Sequence[str]) -> list[Evidence]:
        by_id = {each.block.id: each for each in hits}
        ranks = {block: rank for rank, block in enumerate(by_id)}
        others = self._others([block for block in blocks if block not in by_id], hits)
        merged = passages(*([each.candidate() for each in some] for some in (hits, others)))
        members = {each.block.id: each.block for each in (*hits, *others)}
        found = [self._passage(each, by_id, members) for each in merged]
        return sorted(found, key=lambda each: ranks[each.block.id])

    def _others(self, ids: Sequence[str], hits: Sequence[Evidence]) -> list[Evidence]:
        documents = {each.document.id: each.document for each in hits}
        rows = self._query.view.evidence(ids) if ids else ()
        found = (Evidence(each.block, documents[each.document.id], 0.0, {}) for each in rows)
        return [as_written(each, self._spec.format) for each in found]

    def _passage(
        self, passage: Passage, hits: Mapping[str, Evidence], blocks: Mapping[str, Block]
    ) -> Evidence:
        best = hits[passage.best.id]
        if len(passage.members) == 1:
            return best
        between = _BETWEEN_TURNS if best.is_turn else self._spec.join_with
        whole = replace(
            best.block,
            text=passage.text(between),
            tokens=passage.tokens,
            lines=_lines(blocks[each.id] for each in passage.members),
        )
        return replace(best, block=whole, passage=tuple(each.id for each in passage.members))


def _lines(blocks: Iterable[Block]) -> tuple[int, int] | None:
    """From the first line of the first block to the last line of the last one."""
    lines = [each.lines for each in blocks if each.lines]
    if not lines:
        return None
    return min(first for first, _ in lines), max(last for _, last in lines)


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
