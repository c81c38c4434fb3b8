"""Keep the end."""

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
from biblicus_context.text.cutting.cutting import longest_end


@door
@dataclass(frozen=True)
class TailCompactor(CuttingCompactor):
    """Keeps the end of a text.

    >>> TailCompactor().compact(CompactionRequest("One two three four", 2))
    'three four'
    """

    mark: Annotated[
        str, Field(description="Written where the text was cut; counted.", examples=["[…]\n"])
    ] = ""

    def cut(self, request: CompactionRequest) -> str:
        """The end, with the mark before it."""
        if not self.mark:
            return longest_end(request.text, request.max_tokens, request.counter)

        def marked(tokens: int) -> str:
            end = longest_end(request.text, tokens, request.counter)
            return end and self.mark + end

        return with_mark(request, self.mark, marked)
