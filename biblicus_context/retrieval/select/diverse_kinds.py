"""No kind of evidence above a share of the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select.selection import fill, in_order
from biblicus_context.spec.base import StrictSpec


class DiverseKinds(StrictSpec):
    """Fills in order, but with at most a share for each kind (or source).

    Tokens that are left go to the candidates that were held back, unless the share is strict.
    """

    share: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="Maximum part of the share for one kind, or one source.",
    )
    by: Literal["kind", "source"] = Field(
        default="kind", description="What has a part of its own: kinds of documents, or sources."
    )
    strict: bool = Field(
        default=False, description="Leave tokens empty rather than give them to what has its part."
    )

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that fit, best first."""
        most = budget * self.share
        spent: Counter[str | None] = Counter()
        chosen: list[Candidate] = []
        held_back: list[Candidate] = []
        left = budget
        for candidate in candidates:
            group = candidate.kind if self.by == "kind" else candidate.source
            if candidate.tokens > left:
                continue
            if spent[group] + candidate.tokens > most:
                held_back.append(candidate)
                continue
            spent[group] += candidate.tokens
            left -= candidate.tokens
            chosen.append(candidate)
        if not self.strict:
            chosen += fill(held_back, left)
        return in_order(chosen, candidates)
