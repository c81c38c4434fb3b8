"""Drop whole paragraphs from the end."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from biblicus_context.text.compactors.base import CuttingCompactor
from biblicus_context.text.compactors.request import CompactionRequest
from biblicus_context.text.cutting.cutting import longest_start
from biblicus_context.text.cutting.sentences import PARAGRAPH_BREAK


@dataclass(frozen=True)
class DropBlocksCompactor(CuttingCompactor):
    """Keeps the leading paragraphs whole; "" when not even the first one fits.

    >>> DropBlocksCompactor().compact(CompactionRequest("One.\\n\\nTwo.\\n\\nThree is long.", 6))
    'One.\\n\\nTwo.'
    """

    def cut(self, request: CompactionRequest) -> str:
        """The paragraphs that fit."""
        start = longest_start(request.text, request.max_tokens, request.counter)
        ends = [gap.start() for gap in PARAGRAPH_BREAK.finditer(request.text) if gap.start()]
        # The paragraph behind the longest start is tried too, as that may be a few tokens short.
        for end in reversed(ends[: bisect_right(ends, len(start)) + 1]):
            block = request.text[:end]
            if request.counter.count(block) <= request.max_tokens:
                return block
        return ""
