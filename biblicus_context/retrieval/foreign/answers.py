"""Reads what a retriever returned: a pack, a text, or a list of texts and documents."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.retrieval.foreign.documents import block_of
from biblicus_context.retrieval.foreign.fields import field
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock

_LISTS = ("blocks", "documents")
"""`documents` is what components of Haystack return."""


def pack_of(answer: object, most: int) -> tuple[ContextPack, bool]:
    """The answer as a pack of its first `most` blocks, and whether it has more of them.

    Raises a TypeError or a ValidationError if it is none.

    >>> pack, has_more = pack_of(["One.", {"content": "Two.", "meta": {"source": "b.md"}}], most=9)
    >>> pack.evidence_count, pack.blocks[1].source, has_more
    (2, 'b.md', False)
    """
    if isinstance(answer, list | tuple):
        return _pack("", answer, most, count=None)
    count, text = field(answer, "evidence_count"), field(answer, "text")
    entries = entries_of(answer)
    if count is None and not entries and (text or entries is None):
        return _pack("", [answer], most, count=None)  # one document
    return _pack("" if text is None else text, entries or (), most, count)


def entries_of(answer: object) -> Sequence[object] | None:
    """The blocks or documents that an answer lists; None if it lists none."""
    if isinstance(answer, list | tuple):
        return answer
    for name in _LISTS:
        found = field(answer, name)
        if isinstance(found, list | tuple):
            return found
        if found is not None:
            raise TypeError(f"{name}: found {type(found).__name__} instead of a list")
    return None


def _pack(
    text: str, entries: Sequence[object], most: int, count: int | None
) -> tuple[ContextPack, bool]:
    blocks = _blocks(entries[:most])
    found = len(blocks) if count is None else count
    return ContextPack(text=text, evidence_count=found, blocks=blocks), len(entries) > most


def _blocks(entries: Sequence[object]) -> list[ContextPackBlock]:
    blocks: list[ContextPackBlock] = []
    for number, entry in enumerate(entries):
        try:
            block = block_of(entry)
        except TypeError as error:
            raise TypeError(f"blocks.{number}: {error}") from None
        if block is not None:
            blocks.append(block)
    return blocks
