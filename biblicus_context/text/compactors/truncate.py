"""Keep the start."""

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
from biblicus_context.text.cutting.cutting import longest_start


@door
@dataclass(frozen=True)
class TruncateCompactor(CuttingCompactor):
    """Keeps the start of a text.

    >>> TruncateCompactor().compact(CompactionRequest("One two three four", 2))
    'One two'
    """

    mark: Annotated[
        str, Field(description="Written where the text was cut; counted.", examples=["\n[…]"])
    ] = ""

    def cut(self, request: CompactionRequest) -> str:
        """The start, with the mark after it."""
        if not self.mark:
            return longest_start(request.text, request.max_tokens, request.counter)

        def marked(tokens: int) -> str:
            start = longest_start(request.text, tokens, request.counter)
            return start and start + self.mark

        return with_mark(request, self.mark, marked)
