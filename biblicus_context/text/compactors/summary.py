"""Keep the leading sentences."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.text.compactors.compactor import CompactionRequest, CuttingCompactor
from biblicus_context.text.cutting.cutting import longest_start
from biblicus_context.text.cutting.sentences import sentences

_LOOKED_AHEAD: Final = 400
"""Characters after the cut that are read to see whether a sentence ends there."""


@door
@dataclass(frozen=True)
class SummaryCompactor(CuttingCompactor):
    """Keeps the leading sentences; a first sentence that is too long is cut.

    >>> SummaryCompactor().compact(CompactionRequest("Dr. Ames came. She sat down.", 6))
    'Dr. Ames came.'
    """

    def cut(self, request: CompactionRequest) -> str:
        """The sentences that fit."""
        start = longest_start(request.text, request.max_tokens, request.counter)
        parts = sentences(request.text[: len(start) + _LOOKED_AHEAD])
        for end in reversed(list(accumulate(map(len, parts)))):
            text = request.text[:end].rstrip()
            if (
                text
                and len(text) <= len(start)
                and request.counter.count(text) <= request.max_tokens
            ):
                return text
        return start
