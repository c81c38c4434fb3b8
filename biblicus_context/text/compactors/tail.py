"""Keep the end."""

from __future__ import annotations

from dataclasses import dataclass

from biblicus_context.text.compactors.base import CuttingCompactor
from biblicus_context.text.compactors.marked import with_mark
from biblicus_context.text.compactors.request import CompactionRequest
from biblicus_context.text.cutting.cutting import longest_end


@dataclass(frozen=True)
class TailCompactor(CuttingCompactor):
    """Keeps the end of a text.

    >>> TailCompactor().compact(CompactionRequest("One two three four", 2))
    'three four'
    """

    mark: str = ""

    def cut(self, request: CompactionRequest) -> str:
        """The end, and the mark in front of it."""
        if not self.mark:
            return longest_end(request.text, request.max_tokens, request.counter)

        def marked(tokens: int) -> str:
            end = longest_end(request.text, tokens, request.counter)
            return end and self.mark + end

        return with_mark(request, self.mark, marked)
