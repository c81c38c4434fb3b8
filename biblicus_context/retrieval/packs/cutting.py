"""Cuts a block that is longer than the whole limit: its start, and where the rest is."""

from __future__ import annotations

from typing import Final

from biblicus_context.base.effects import Effectful
from biblicus_context.base.threads import run
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.fitters import CHARACTERS
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.select import ItemCap
from biblicus_context.text.compaction import Compaction
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
    cap = ItemCap(1, Compaction().build("truncate"))
    started = (run(shortened_block(each, cap, most, counter)) for each in pack.blocks[:1])
    blocks = [each[0] for each in started if each is not None]
    text = "".join(block.text for block in blocks)
    return ContextPack(text=text, evidence_count=len(blocks), blocks=blocks)


def shortened_block(
    block: ContextPackBlock, cap: ItemCap, most: int, counter: Counter, query: str = ""
) -> Effectful[tuple[ContextPackBlock, str | None] | None]:
    """A block in at most this many tokens, and what was corrected; None if nothing of it fits."""
    whole = facts_of(block)._replace(tokens=counter.count(block.text))
    if whole.tokens <= most:
        return block, None
    shortened = yield from cap.shortened(whole, most, counter, query)
    if shortened is None:
        return None
    facts = shortened.candidate
    changed = block.model_copy(update={"text": facts.text}, deep=True)
    return changed.carrying(facts), shortened.note
