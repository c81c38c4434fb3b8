"""The row of a nested context: what is left of its packs, in order and written as their formats say."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.formatted import TextsAround, origins_of
from biblicus_context.assembly.packs.nesting import InnerRow, inner_rows
from biblicus_context.assembly.packs.piece import PackPiece, PlacedPiece
from biblicus_context.assembly.packs.row import (
    Arrangement,
    PackRow,
    Surroundings,
    notice,
    row_of,
)
from biblicus_context.assembly.reasons import hides_evidence
from biblicus_context.retrieval.packs.writing.surrounding_text import Contents, Origin
from biblicus_context.text.counters import Counter


def nested_row(draft: Draft, around: TextsAround | None, counter: Counter, copies: int) -> PackRow:
    """A nested context as one row of pieces."""
    rows = inner_rows(draft)
    if around is not None and not rows and _found_nothing(draft):
        said = around.nothing_found()
        if said is not None:
            return notice(said, counter, copies)
    is_arranged = around is not None or any(each.row and each.row.arrange for each in rows)
    return row_of(
        [piece for row in rows for piece in row.pieces],
        counter,
        _NestedArrangement(tuple(rows), around) if is_arranged else None,
        copies,
        blocks=sum(gathered.fitted.row.offers for gathered in draft.packs.values()),
    )


def _found_nothing(draft: Draft) -> bool:
    """Whether every pack was asked, and none has anything to offer."""
    return all(
        gathered.share != 0
        and not (
            gathered.failure or hides_evidence(gathered.repeated) or gathered.fitted.row.tokens
        )
        for gathered in draft.packs.values()
    )


@dataclass(frozen=True, slots=True)
class _NestedArrangement:
    """Each of the packs arranged again, in the order of the plan of the nested context."""

    rows: tuple[InnerRow, ...]
    around: TextsAround | None

    @property
    def names_sources(self) -> bool:
        """Of this context alone: packs before it are none of its own."""
        return False

    def __call__(
        self, pieces: Mapping[int, PackPiece], surroundings: Surroundings
    ) -> Sequence[PlacedPiece]:
        """The pieces that are left."""
        placed: list[PlacedPiece] = []
        sources = Tally[Origin]()
        first = 0
        for inner in self.rows:
            numbers = range(first, first + len(inner.pieces))
            kept = [PlacedPiece(number, pieces[number]) for number in numbers if number in pieces]
            if kept and inner.row is not None and inner.row.arrange is not None:
                kept = _arranged(inner, inner.row, inner.row.arrange, kept, first, sources)
            if self._counts_sources:
                sources = sources + origins_of(each.piece.block for each in kept)
            placed += kept
            first += len(inner.pieces)
        if self.around is None or not placed:
            return placed
        count = sum(each.piece.block is not None for each in placed)
        return self.around.around(placed, Contents(count, surroundings.total, sources))

    @property
    def _counts_sources(self) -> bool:
        if self.around is not None and self.around.form.names_sources:
            return True
        arranges = (inner.row.arrange for inner in self.rows if inner.row)
        return any(arrange.names_sources for arrange in arranges if arrange)


def _arranged(
    inner: InnerRow,
    row: PackRow,
    arrange: Arrangement,
    kept: Sequence[PlacedPiece],
    first: int,
    sources: Mapping[Origin, int],
) -> list[PlacedPiece]:
    """What is left of a pack, arranged under the numbers of its own row."""
    outer = {own: first + at for at, own in enumerate(inner.numbers)}
    pieces = {inner.numbers[number - first]: piece for number, piece in kept if number is not None}
    return [
        PlacedPiece(outer[number], piece)
        if number is not None
        else PlacedPiece(None, piece._replace(owner=f"{inner.place}/{piece.owner}"))
        for number, piece in arrange(pieces, Surroundings(row.offers, sources))
    ]
