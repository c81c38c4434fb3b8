"""What it takes to ask one retriever for one pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from biblicus_context.assembly.limits import Limits
from biblicus_context.assembly.packs.formatted import Arranged, Order, TextsAround
from biblicus_context.assembly.packs.reading_order import in_reading_order
from biblicus_context.assembly.packs.source_call import SourceCall
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.steps.parts import Names, PackPart, RetrieverSource
from biblicus_context.retrieval.packs.block_format import fence_tag
from biblicus_context.retrieval.packs.evidence import source_of
from biblicus_context.retrieval.packs.ordering import best_at_both_ends, by_source
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.spec.format import FormatSpec

AS_THEY_ARE: Final = PackFormat(FormatSpec.model_construct())  # no validator is built at import


_ORDERS: Final[Mapping[str, Order]] = {
    "source": lambda placed: by_source(placed, lambda each: source_of(each.piece.block)),
    "edges": best_at_both_ends,
    "reading": in_reading_order,
}


class RetrieverCall(NamedTuple):
    """What it takes to ask one retriever for one pack."""

    part: PackPart
    source: RetrieverSource
    at: int
    """Where in the plan."""
    query: str
    share: int | None
    limits: Limits
    fills_share: bool
    """Whether the last block is cut at once to fill the share (else leftovers decide later)."""
    tag: str = ""
    """The tag of the fence around each block, where the plan asks for one."""
    guarded: bool = False
    """Whether a pack of the assembly is fenced, so that no block may spell a tag."""
    names: Names = MappingProxyType({})
    """The names of the call, for what a format writes."""
    metadata: Mapping[str, Any] = MappingProxyType({})
    """What the retriever gets in addition to the query and the limits."""
    duplicates: Mapping[str, Reason] = MappingProxyType({})
    """Blocks that another pack has, by id, with the reason to leave them out here."""
    combined: SourceCall | None = None
    """How the sources of a combined retriever are asked."""

    @property
    def copy_share(self) -> int | None:
        """The share of one copy, where the pack is placed more than once."""
        return None if self.share is None else self.share // self.part.copies

    @property
    def separator(self) -> str:
        """What separates two blocks."""
        form = self.part.form
        own = form.spec.separator if form else None
        return self.source.settings.join_with if own is None else own

    @property
    def written(self) -> Callable[[ContextPackBlock], str] | None:
        """How the format writes a block; None where it adds nothing to the text."""
        form = self.part.form
        if form is None or form.is_plain:
            return None
        return lambda block: "".join(form.write(block, self.tag, guarded=self.guarded))

    @property
    def arrangement(self) -> Arranged | None:
        """How the blocks are put in order, and what is written around them."""
        order, around = _ORDERS.get(self.part.options.ordering), self.around
        if around is None and self.guarded and "\n" not in self.separator:
            around = TextsAround(AS_THEY_ARE, self.part.place, self.names, self.guarded)
        arranged = Arranged(order, around, self.tag)
        if around is None:
            return arranged if order else None
        form = around.form
        adds = form.surrounds or form.is_numbered or bool(form.spec.together)
        return arranged if order or adds or arranged.may_spell_tags else None

    @property
    def around(self) -> TextsAround | None:
        """What the format writes around the blocks."""
        form = self.part.form
        return TextsAround(form, self.part.place, self.names, self.guarded) if form else None

    @property
    def compacts(self) -> bool:
        """Whether a pack over its share is asked again, and then cut."""
        return (
            self.share is not None
            and self.limits.overflow == "compact"
            and not self.part.options.pin
        )


def tag_for(part: PackPart, context: str) -> str:
    """The tag of the fence that the plan wants; empty where it wants none."""
    form = part.form
    return fence_tag(context, part.place, part.name) if form and form.spec.fence else ""
