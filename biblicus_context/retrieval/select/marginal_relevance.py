"""Each next one as good as possible, and as different as possible from those chosen (MMR)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select.selection import filled, in_order


@dataclass(frozen=True, slots=True)
class MarginalRelevance:
    """Maximal marginal relevance: `balance` x score - (1 - `balance`) x likeness to what is chosen.

    Likeness is the share of words in common. Candidates behind the first `among` fill what is left.
    """

    balance: Annotated[float, Field(ge=0, le=1)] = 0.7
    among: Annotated[int, Field(ge=1)] = 200

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that fit, best first."""
        open_ones = [each for each in candidates[: self.among] if each.tokens <= budget]
        best = max((each.score for each in open_ones), default=0.0)
        words = {each.id: frozenset(query_terms(each.text)) for each in open_ones}
        nearest = dict.fromkeys(words, 0.0)
        chosen: list[Candidate] = []
        left = budget

        def worth(candidate: Candidate) -> float:
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
        return in_order([*chosen, *filled(candidates[self.among :], left)], candidates)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    together = len(one | other)
    return len(one & other) / together if together else 1.0
