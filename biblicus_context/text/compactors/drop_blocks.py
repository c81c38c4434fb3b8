"""Drop whole paragraphs from the end."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from biblicus_context.base.doors import door
from biblicus_context.text.compactors.compactor import CompactionRequest, CuttingCompactor
from biblicus_context.text.cutting.cutting import longest_start
from biblicus_context.text.cutting.sentences import PARAGRAPH_BREAK


@door
@dataclass(frozen=True)
class DropBlocksCompactor(CuttingCompactor):
    """Drops whole paragraphs from the end; nothing is left if not even the first one fits.

    >>> DropBlocksCompactor().compact(CompactionRequest("One.\\n\\nTwo.\\n\\nThree is long.", 6))
    'One.\\n\\nTwo.'
    """

    def cut(self, request: CompactionRequest) -> str:
        """The paragraphs that fit."""
        start = longest_start(request.text, request.max_tokens, request.counter)
        ends = [gap.start() for gap in PARAGRAPH_BREAK.finditer(request.text) if gap.start()]
        # One paragraph more is tried: the longest start may be a few tokens short of the limit.
        for end in reversed(ends[: bisect_right(ends, len(start)) + 1]):
            block = request.text[:end]
            if request.counter.count(block) <= request.max_tokens:
                return block
        return ""
