"""A row of pieces as its format writes it: in order, numbered, with the texts around the blocks.

All of it depends on which pieces are placed, so it is written again whenever pieces go or come back.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from biblicus_context.assembly.packs.piece import (
    PackPiece,
    PlacedPiece,
    surrounded,
    unforgeable_together,
)
from biblicus_context.assembly.packs.row import Surroundings
from biblicus_context.assembly.steps.parts import Names
from biblicus_context.retrieval.packs.block_format import unforgeable
from biblicus_context.retrieval.packs.evidence import source_of
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.retrieval.packs.writing.surrounding_text import Contents, Origin
from biblicus_context.retrieval.packs.writing.values import ItemPlace

Order = Callable[[Sequence[PlacedPiece]], Sequence[PlacedPiece]]
"""Puts the pieces of one pack into the order of the text."""

_BETWEEN_LINES = "\n"
USUAL_KIND = "document"
"""The kind of a block that has none, as of a document that has none."""


def origins_of(blocks: Iterable[ContextPackBlock | None]) -> Tally[Origin]:
    """The number of blocks of each kind and document; a block without a document is its own."""
    return Tally(
        (facts_of(block).kind or USUAL_KIND, source_of(block) or block.evidence_item_id)
        for block in blocks
        if block is not None
    )


@dataclass(frozen=True, slots=True)
class TextsAround:
    """The texts that a format writes around the blocks of one pack, in this call."""

    form: PackFormat
    owner: str
    """The place of the pack in the plan."""
    names: Names
    """The names of the call."""
    guarded: bool = False

    def around(self, placed: Sequence[PlacedPiece], contents: Contents) -> Sequence[PlacedPiece]:
        """The pieces between title, header and footer."""
        return surrounded(placed, *self.texts(contents), self.owner)

    def texts(self, contents: Contents) -> tuple[str, str]:
        """What comes before the blocks, and after them."""
        before = self.form.before(contents, self.names)
        after = self.form.after(contents, self.names)
        return (unforgeable(before), unforgeable(after)) if self.guarded else (before, after)

    def nothing_found(self) -> PackPiece | None:
        """What is placed where nothing was found, if there is a text for it."""
        text = self.form.without_blocks(Contents(), self.names)
        if not text:
            return None
        text = unforgeable(text) if self.guarded else text
        return PackPiece("empty", self.owner, text, elastic=True, may_shorten=False)


@dataclass(frozen=True, slots=True)
class Arranged:
    """The arrangement of one retriever's pack."""

    order: Order | None
    around: TextsAround | None
    tag: str = ""

    @property
    def names_sources(self) -> bool:
        """Whether a text depends on which kinds of blocks are placed, here and before."""
        return self.around is not None and self.around.form.names_sources

    @property
    def is_fixed(self) -> bool:
        """Whether blocks are placed as they come, so that the pieces need not be made."""
        numbers = self.around.form.place_names if self.around else frozenset()
        return self.keeps_order and numbers <= {"index"}

    @property
    def keeps_order(self) -> bool:
        """Whether blocks are placed in the order in which they come."""
        return self.order is None and not self.may_spell_tags and not self._together

    @property
    def _together(self) -> bool:
        return self.around is not None and bool(self.around.form.spec.together)

    @property
    def may_spell_tags(self) -> bool:
        """Whether a text and the next one could make a tag of another pack's fence together."""
        return self.around is not None and self.around.guarded and not self.tag

    def __call__(
        self, pieces: Mapping[int, PackPiece], surroundings: Surroundings
    ) -> Sequence[PlacedPiece]:
        """The pieces in order, between title and footer; nothing where none is placed."""
        placed: Sequence[PlacedPiece] = [*map(PlacedPiece._make, pieces.items())]
        if self.order:
            placed = self.order(placed)
        if self.around is None or not placed:
            return placed
        form = self.around.form
        contents = self._contents([each.piece.block for each in placed], surroundings)
        if form.is_numbered:
            placed = [*self._numbered(self.around, pieces, placed, contents)]
        separator = form.spec.separator
        if separator is not None and self.order is not None:  # an order has separators of its own
            placed = [
                each._replace(piece=each.piece._replace(separator=separator)) for each in placed
            ]
        if self._together:
            placed = [*self._with_conversations(self.around, placed)]
        placed = self.around.around(placed, contents)
        return unforgeable_together(placed) if self.may_spell_tags else placed

    def _with_conversations(
        self, around: TextsAround, placed: Sequence[PlacedPiece]
    ) -> Iterable[PlacedPiece]:
        """The pieces, those that are written together after the others, in one fence for each kind."""
        kinds: dict[str, list[PlacedPiece]] = {}
        for each in placed:
            block = each.piece.block
            if block is not None and around.form.is_together(block):
                kinds.setdefault(facts_of(block).kind or "", []).append(each)
            else:
                yield each
        for kind in around.form.spec.together:
            own = sorted(kinds.get(kind, ()), key=_when)
            lines = [
                each._replace(piece=each.piece._replace(separator=_BETWEEN_LINES)) for each in own
            ]
            if lines:
                fence = (f"<{self.tag}>\n", f"\n</{self.tag}>") if self.tag else ("", "")
                yield from surrounded(lines, *fence, around.owner)

    def whole(
        self, texts: Sequence[str], blocks: Sequence[ContextPackBlock], separator: str
    ) -> list[str]:
        """The text of all blocks in parts, of a pack that places them as they come."""
        parts = [separator] * (2 * len(texts) - 1)
        parts[::2] = texts
        if not texts or self.around is None:
            return parts
        contents = self._contents(blocks, Surroundings(len(texts)))
        before, after = self.around.texts(contents)
        return [*([before, ""] if before else ()), *parts, *(["", after] if after else ())]

    def _contents(
        self, blocks: Sequence[ContextPackBlock | None], surroundings: Surroundings
    ) -> Contents:
        sources: Mapping[Origin, int] = {}
        if self.names_sources:
            sources = Tally(surroundings.sources) + origins_of(blocks)
        return Contents(len(blocks), surroundings.total, sources)

    def _numbered(
        self,
        around: TextsAround,
        pieces: Mapping[int, PackPiece],
        placed: Sequence[PlacedPiece],
        contents: Contents,
    ) -> Iterable[PlacedPiece]:
        """Every block as it is written at its place."""
        form = around.form
        for index, (number, piece) in enumerate(placed, 1):
            at = ItemPlace(index, contents.count, contents.total)
            if piece.place is not None and form.is_same_place(piece.place, at):
                yield PlacedPiece(number, piece)
                continue
            assert piece.block is not None
            assert piece.parts is not None
            assert number is not None
            written = form.write(piece.block, self.tag, guarded=around.guarded, place=at)
            if piece.is_cut:
                tail = f"{piece.cut_note}{written.tail}"
                written = written._replace(body=piece.body, tail=tail)
            before = pieces[number].parts
            line = piece.parts.head.removesuffix(before.head if before else "")  # of a session
            yield PlacedPiece(number, piece.written(written._replace(head=f"{line}{written.head}")))


def _when(placed: PlacedPiece) -> tuple[float, int]:
    """Oldest first; what has no time stays in its order, before the others."""
    block = placed.piece.block
    created = facts_of(block).created if block else None
    return created.timestamp() if created else 0.0, placed.number or 0
