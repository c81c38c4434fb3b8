"""What was between the blocks of a text, so that they can be joined to it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from biblicus_context.ingest.chunks.chunk import Chunk
from biblicus_context.stores import Block, Json

GAP: Final = "gap"
"""The key in the metadata of a block; it is there only where lines do not tell the gap before it."""

_Lines = tuple[int, int] | None


def gaps(cut: Sequence[Chunk]) -> Iterator[Mapping[str, Json]]:
    """For each chunk the white space before it in its section, if that is not the usual one."""
    end = 0
    for before, chunk in pairwise([None, *cut]):
        assert chunk is not None
        same = before is not None and before.section is chunk.section
        start = chunk.section.text.find(chunk.text, end if same else 0)
        if before is not None and same and start >= 0:
            gap = chunk.section.text[end:start]
            yield {} if gap == _usual(before.lines, chunk.lines) else {GAP: gap}
        else:
            yield {}
        end = max(start, 0) + len(chunk.text)


def joined(blocks: Sequence[Block]) -> str:
    """The text of these blocks, as it was before it was cut."""
    parts: list[str] = []
    for before, block in pairwise([None, *blocks]):
        assert block is not None
        if before is not None:
            gap = block.metadata.get(GAP)
            parts.append(gap if isinstance(gap, str) else _usual(before.lines, block.lines))
        parts.append(block.text)
    return "".join(parts)


def _usual(before: _Lines, after: _Lines) -> str:
    if before is None or after is None:
        return "\n\n"
    return "\n" * (after[0] - before[1]) or " "
