"""A format, compiled: it writes blocks, and the texts around them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from biblicus_context.errors import PlanError
from biblicus_context.retrieval.packs.block_format import WrittenBlock, one_line, write_block
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.packs.writing.item_template import ItemTemplate, item_template
from biblicus_context.retrieval.packs.writing.surrounding_text import (
    Contents,
    SurroundingText,
    surrounding_text,
)
from biblicus_context.retrieval.packs.writing.values import ALONE, Item, ItemPlace
from biblicus_context.spec.format import AROUND_ITEMS, FormatSpec

_INDENT = "  "
_ALONE = FormatSpec()


class PackFormat(NamedTuple):
    """How one pack is written."""

    spec: FormatSpec
    title: SurroundingText | None = None
    header: SurroundingText | None = None
    footer: SurroundingText | None = None
    empty: SurroundingText | None = None
    item: ItemTemplate | None = None
    items: Mapping[str, ItemTemplate] = {}
    cut_note: ItemTemplate | None = None
    place_names: frozenset[str] = frozenset()
    """What items name of their places among the others."""
    adds_to_items: bool = False
    """Whether metadata lines, a fence or an id are written around an item."""

    @classmethod
    def of(cls, spec: FormatSpec | None, title: str | None, place: str) -> PackFormat | None:
        """The compiled format with the pack's own title; None where there is nothing to write."""
        if spec is None and title is None:
            return None
        spec = spec or FormatSpec()
        own_title = spec.title if title is None else title
        at = f"{place}.format"
        item = _item(spec.item, f"{at}.item")
        items = {
            kind: item_template(text, f"{at}.items.{kind}") for kind, text in spec.items.items()
        }
        templates = (*items.values(), *([item] if item else ()))
        return cls(
            spec=spec,
            title=surrounding_text(own_title, f"{place}.title" if title else f"{at}.title"),
            header=surrounding_text(spec.header, f"{at}.header"),
            footer=surrounding_text(spec.footer, f"{at}.footer"),
            empty=surrounding_text(spec.empty, f"{at}.empty"),
            item=item,
            items=items,
            cut_note=_item(spec.cut_note, f"{at}.cut_note"),
            place_names=frozenset().union(*(each.place_names for each in templates)),
            adds_to_items=bool(spec.metadata or spec.fence or spec.citations),
        )

    def refuse_items(self, place: str) -> None:
        """Refuse keys for blocks where the pack is a context."""
        for key in sorted(self.spec.model_fields_set - {*AROUND_ITEMS}):
            raise PlanError(
                "this key is for the blocks of a retriever, and this pack is a context",
                place=f"{place}.format",
                found=key,
                valid=AROUND_ITEMS,
                fix="Write it into the formats of the packs inside the context.",
            )

    def check(self, names: Mapping[str, object]) -> None:
        """Raise for a name that the call does not have, before any retriever is asked."""
        for text in (self.title, self.header, self.footer, self.empty):
            if text and text.names_the_call:
                text.text(Contents(), names)

    @property
    def is_plain(self) -> bool:
        """Whether blocks are written as they are."""
        return not (self.adds_to_items or self.item or self.items or self.spec.together)

    @property
    def surrounds(self) -> bool:
        """Whether it writes anything around blocks."""
        return bool(self.title or self.header or self.footer)

    @property
    def names_sources(self) -> bool:
        """Whether a text around the blocks depends on which kinds of blocks are placed."""
        texts = (self.title, self.header, self.footer)
        return any(text.names_sources for text in texts if text)

    @property
    def is_numbered(self) -> bool:
        """Whether the text of a block depends on which others are placed."""
        return bool(self.place_names)

    def is_same_place(self, one: ItemPlace, other: ItemPlace) -> bool:
        """Whether blocks are written the same at two places."""
        return one.figures(self.place_names) == other.figures(self.place_names)

    def template_for(self, kind: str) -> ItemTemplate | None:
        """How a block of this kind is written; None: as it is."""
        return self.items.get(kind, self.item)

    def may_shorten(self, block: ContextPackBlock) -> bool:
        """Whether its text is written once, so that it can be cut."""
        template = self._template_of(block)
        return template is None or template.is_content_once

    def write(
        self, block: ContextPackBlock, tag: str, *, guarded: bool, place: ItemPlace = ALONE
    ) -> WrittenBlock:
        """The block as it is written at its place among the others."""
        template, own = self._template_of(block), self.spec
        if self.is_together(block):
            # Its later lines are not those of another one.
            block = block.model_copy(update={"text": f"\n{_INDENT}".join(block.text.splitlines())})
            own = _ALONE
        item = template.write(Item(block, place)) if template else None
        if item is not None and not (guarded or (self.adds_to_items and own is self.spec)):
            return WrittenBlock("", *item)
        return write_block(block, own, tag, guarded=guarded or self.spec.fence, item=item)

    def is_together(self, block: ContextPackBlock) -> bool:
        """Whether it is written as one with others of its kind."""
        together = self.spec.together
        return bool(together) and facts_of(block).kind in together

    def note_on_cut(self, block: ContextPackBlock) -> str:
        """What follows the text of a block that is shortened."""
        if self.cut_note is None:
            return ""
        return "".join(self.cut_note.write(Item(block)))

    def before(self, contents: Contents, names: Mapping[str, object]) -> str:
        """The title and the header."""
        header = self.header.text(contents, names) if self.header else ""
        return f"{self._titled(contents, names)}{header}"

    def after(self, contents: Contents, names: Mapping[str, object]) -> str:
        """The footer."""
        return self.footer.text(contents, names) if self.footer else ""

    def without_blocks(self, contents: Contents, names: Mapping[str, object]) -> str:
        """What is written where the retriever finds nothing; empty if that is nothing."""
        text = self.empty.text(contents, names) if self.empty else ""
        return f"{self._titled(contents, names)}{text}" if text else ""

    def _titled(self, contents: Contents, names: Mapping[str, object]) -> str:
        title = self.title.text(contents, names) if self.title else ""
        if not title:
            return ""
        # A value in it must not begin a line of its own.
        return f"{title if title.splitlines() == [title] else one_line(title)}\n"

    def _template_of(self, block: ContextPackBlock) -> ItemTemplate | None:
        if not self.items:
            return self.item
        return self.template_for(facts_of(block).kind)


def _item(source: str | None, place: str) -> ItemTemplate | None:
    return None if source is None else item_template(source, place)
