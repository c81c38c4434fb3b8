"""Selections that fill the budget one candidate after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.weighted_sum import Share
from biblicus_context.retrieval.select.selection import fill, in_order
from biblicus_context.spec.base import StrictSpec


class RankOrder(StrictSpec):
    """Fills in order, and skips what does not fit: the default."""

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that fit, best first."""
        return fill(candidates, budget)


class ValuePerToken(StrictSpec):
    """Fills by score / tokens ** exponent; an exponent of 0 is the order of rank.

    It may skip kinds that have too much already, and stop before the budget is full.
    """

    exponent: float = Field(
        default=1.0,
        ge=0,
        le=4,
        description="How much the tokens of a block count against its score; 0: the order of rank.",
    )
    kind_share: Share | None = Field(
        default=None,
        description="A kind that is more than this part of the chosen blocks gets no more.",
        examples=[0.7],
    )
    kinds_after: int = Field(
        default=5, ge=0, description="Number of chosen blocks above which kind_share counts."
    )
    strict: bool = Field(
        default=True,
        description="With kind_share: false gives tokens that are left to kinds that have too much.",
    )
    stop_at: Share | None = Field(
        default=None,
        description="Stop when more than this part of the share is full and stop_after blocks are "
        "chosen.",
        examples=[0.9],
    )
    stop_after: int = Field(
        default=10, ge=1, description="Number of chosen blocks from which stop_at counts."
    )

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that fit, best first."""
        densest = sorted(candidates, key=self._density, reverse=True)
        chosen = self._filled(densest, budget)
        if not self.strict and self.kind_share is not None:
            ids = {each.id for each in chosen}
            rest = [each for each in densest if each.id not in ids]
            chosen = self.model_copy(update={"kind_share": None})._filled(rest, budget, chosen)
        return in_order(chosen, candidates)

    def _density(self, candidate: Candidate) -> float:
        return candidate.score / float(max(1, candidate.tokens) ** self.exponent)

    def _filled(
        self, densest: Iterable[Candidate], budget: int, before: Sequence[Candidate] = ()
    ) -> list[Candidate]:
        chosen = [*before]
        kinds = Counter(each.kind for each in before)
        left = budget - sum(each.tokens for each in before)
        if self._is_enough(budget - left, budget, len(chosen)):
            return chosen
        for candidate in densest:
            if candidate.tokens > left or self._has_enough_of(kinds[candidate.kind], len(chosen)):
                continue
            chosen.append(candidate)
            kinds[candidate.kind] += 1
            left -= candidate.tokens
            if self._is_enough(budget - left, budget, len(chosen)):
                break
        return chosen

    def _has_enough_of(self, of_kind: int, chosen: int) -> bool:
        if self.kind_share is None or chosen <= self.kinds_after:
            return False
        return of_kind > self.kind_share * chosen

    def _is_enough(self, used: int, budget: int, chosen: int) -> bool:
        if self.stop_at is None or chosen < self.stop_after:
            return False
        return used > self.stop_at * budget
