"""Cuts a block that is longer than the whole limit: its start, and where the rest is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.fitters import CHARACTERS
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.select import capped
from biblicus_context.text.counters import Counter
from biblicus_context.text.cutting.cutting import longest_start

_NOTE: Final = "\n[… more: {where}]"


def within_characters(text: str, most: int, where: str) -> str:
    """The start of a text, with a note where the rest is if the note leaves half of the characters.

    >>> within_characters("Goods may be sent back within thirty days. No reason.", 50, "a.md")
    'Goods may be sent back within\\n[… more: a.md]'
    """
    if len(text) <= most:
        return text
    note = _NOTE.format(where=" ".join(where.split()))
    if 2 * len(note) > most:
        return longest_start(text, most, CHARACTERS)
    return longest_start(text, most - len(note), CHARACTERS) + note


def start_of_best(pack: ContextPack, most: int, counter: Counter) -> ContextPack:
    """A pack with the start of the best block within a number of tokens, and where the rest is."""
    blocks = [start for block in pack.blocks[:1] for start in _start(block, most, counter)]
    text = "".join(block.text for block in blocks)
    return ContextPack(text=text, evidence_count=len(blocks), blocks=blocks)


def _start(block: ContextPackBlock, most: int, counter: Counter) -> Iterator[ContextPackBlock]:
    whole = Candidate(
        id=block.evidence_item_id,
        text=block.text,
        tokens=counter.count(block.text),
        where=block.source,
    )
    for cut in capped([whole], most, 1, counter):
        yield block.model_copy(update={"text": cut.text}, deep=True)
