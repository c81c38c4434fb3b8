"""Keep the start."""

from __future__ import annotations

from dataclasses import dataclass

from biblicus_context.text.compactors.base import CuttingCompactor
from biblicus_context.text.compactors.marked import with_mark
from biblicus_context.text.compactors.request import CompactionRequest
from biblicus_context.text.cutting.cutting import longest_start


@dataclass(frozen=True)
class TruncateCompactor(CuttingCompactor):
    """Keeps the start of a text.

    >>> TruncateCompactor().compact(CompactionRequest("One two three four", 2))
    'One two'
    """

    mark: str = ""

    def cut(self, request: CompactionRequest) -> str:
        """The start, and the mark behind it."""
        if not self.mark:
            return longest_start(request.text, request.max_tokens, request.counter)

        def marked(tokens: int) -> str:
            start = longest_start(request.text, tokens, request.counter)
            return start and start + self.mark

        return with_mark(request, self.mark, marked)
