"""Each next candidate as good as possible, and as different as possible from the chosen ones (MMR)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select.selection import fill, in_order
from biblicus_context.spec.base import StrictSpec


class MarginalRelevance(StrictSpec):
    """Maximal marginal relevance: `balance` x score - (1 - `balance`) x likeness to what is chosen.

    Likeness is the share of words in common. The work grows with the square of `among`: candidates
    after these only fill the rest of the budget.
    """

    balance: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="How much the score counts, against the difference from the chosen blocks.",
    )
    among: int = Field(
        default=200,
        ge=1,
        description="Number of blocks that are compared, the best ones; others fill what is left.",
    )

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that fit, best first."""
        open_ones = [each for each in candidates[: self.among] if each.tokens <= budget]
        best = max((each.score for each in open_ones), default=0.0)
        words = {each.id: frozenset(query_terms(each.text)) for each in open_ones}
        nearest = dict.fromkeys(words, 0.0)
        chosen: list[Candidate] = []
        left = budget

        def worth(candidate: Candidate) -> float:
            # As a share of the best: the scale of scores differs between retrievers, likeness is 0..1.
            score = candidate.score / best if best > 0 else 0.0
            return self.balance * score - (1 - self.balance) * nearest[candidate.id]

        while open_ones:
            pick = max(open_ones, key=worth)
            chosen.append(pick)
            left -= pick.tokens
            open_ones = [each for each in open_ones if each is not pick and each.tokens <= left]
            for each in open_ones:
                likeness = _likeness(words[each.id], words[pick.id])
                nearest[each.id] = max(nearest[each.id], likeness)
        return in_order([*chosen, *fill(candidates[self.among :], left)], candidates)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    together = len(one | other)
    return len(one & other) / together if together else 1.0
