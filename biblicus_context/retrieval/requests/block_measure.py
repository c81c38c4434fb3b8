"""The tokens that blocks take of a share, as their pack writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.packs.writing.pack_format import PackFormat
from biblicus_context.retrieval.requests.block_writing import BlockWriting
from biblicus_context.text.counters import Counter, count_followed

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BlockMeasure:
    """Counts blocks with the separator after each, which is how the engine counts them."""

    counter: Counter
    separator: str
    form: PackFormat | None = None
    """None: blocks are placed as they are."""
    tag: str = ""
    guarded: bool = False
    remnant: int = 0
    written: dict[tuple[str, str], str] = field(default_factory=dict)
    """What the form made of blocks, by id and text: a page is counted again when it is read on."""

    @classmethod
    def of(cls, counter: Counter, join_with: str, writing: BlockWriting | None) -> BlockMeasure:
        """The measure for a request; `join_with` separates blocks that no format writes."""
        if writing is None:
            return cls(counter, join_with)
        form = writing.compiled()
        if form.is_plain and not writing.guarded:
            return cls(counter, writing.separator)
        remnant = 0 if form.is_plain else writing.remnant
        return cls(counter, writing.separator, form, writing.tag, writing.guarded, remnant)

    def tokens(
        self,
        found: Sequence[T],
        id_of: Callable[[T], str],
        text_of: Callable[[T], str],
        block_of: Callable[[T], ContextPackBlock],
    ) -> list[int]:
        """What each takes of the share; a block is made only for a format that writes it."""
        if self.form is None:
            return self.texts(map(text_of, found))
        for each in found:
            key = id_of(each), text_of(each)
            if key not in self.written:
                parts = self.form.write(block_of(each), self.tag, guarded=self.guarded)
                self.written[key] = "".join(parts)
        return self.texts(self.written[id_of(each), text_of(each)] for each in found)

    def texts(self, texts: Iterable[str]) -> list[int]:
        """What texts take that are placed as they are."""
        return count_followed(self.counter, [*texts], self.separator)

    def can_cut(
        self,
        found: T,
        block_of: Callable[[T], ContextPackBlock],
        tokens: int,
        left: float,
    ) -> bool:
        """Whether enough is left for a block of these tokens to be cut, with what is written around it."""
        if self.form is None or not 0 < self.remnant <= left:
            return False
        block = block_of(found)
        if not self.form.may_shorten(block):
            return False
        (text,) = self.texts([block.text])
        note = self.counter.count(self.form.note_on_cut(block))
        return tokens - text + note + self.remnant <= left
