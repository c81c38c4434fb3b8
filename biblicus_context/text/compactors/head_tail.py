"""Keep both ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from biblicus_context.base.doors import door
from biblicus_context.text.compactors.compactor import (
    CompactionRequest,
    CuttingCompactor,
    with_mark,
)
from biblicus_context.text.cutting.cutting import longest_end, longest_start


@door
@dataclass(frozen=True)
class HeadTailCompactor(CuttingCompactor):
    """Keeps the start and the end of a text, and marks the cut between them.

    >>> text = "one two three four five six seven eight"
    >>> HeadTailCompactor(mark=" … ").compact(CompactionRequest(text, 6))
    'one two … seven eight'
    """

    head_ratio: Annotated[
        float, Field(gt=0, lt=1, description="The start's part of the tokens.")
    ] = 0.5
    mark: Annotated[
        str, Field(min_length=1, description="Written between the two ends; counted.")
    ] = "\n[…]\n"

    def cut(self, request: CompactionRequest) -> str:
        """The start, the mark, and the end."""
        text, counter = request.text, request.counter

        def marked(tokens: int) -> str:
            head = longest_start(text, max(1, round(tokens * self.head_ratio)), counter)
            left = tokens - counter.count(head)
            tail = longest_end(text[len(head) :], left, counter)
            return head + self.mark + tail if head and tail else ""

        return with_mark(request, self.mark, marked)
