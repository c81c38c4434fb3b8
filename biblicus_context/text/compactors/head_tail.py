"""Keep both ends."""

from __future__ import annotations

from dataclasses import dataclass

from biblicus_context.spec.compactor import DEFAULT_MARK
from biblicus_context.text.compactors.base import CuttingCompactor
from biblicus_context.text.compactors.marked import with_mark
from biblicus_context.text.compactors.request import CompactionRequest
from biblicus_context.text.cutting.cutting import longest_end, longest_start


@dataclass(frozen=True)
class HeadTailCompactor(CuttingCompactor):
    """Keeps the start and the end of a text, and marks the cut between them.

    >>> text = "one two three four five six seven eight"
    >>> HeadTailCompactor(mark=" … ").compact(CompactionRequest(text, 6))
    'one two … seven eight'
    """

    head_ratio: float = 0.5
    mark: str = DEFAULT_MARK

    def cut(self, request: CompactionRequest) -> str:
        """The start, the mark, and the end."""
        text, counter = request.text, request.counter

        def marked(tokens: int) -> str:
            head = longest_start(text, max(1, round(tokens * self.head_ratio)), counter)
            left = tokens - counter.count(head)
            tail = longest_end(text[len(head) :], left, counter)
            return head + self.mark + tail if head and tail else ""

        return with_mark(request, self.mark, marked)
