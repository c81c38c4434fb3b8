"""How well a candidate matches what was asked."""

from __future__ import annotations

from dataclasses import dataclass

from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import Asked


def similarity(candidate: Candidate, asked: Asked) -> float:
    """The search's own score, as a share of the best one."""
    return max(0.0, candidate.score) / asked.best if asked.best > 0 else 0.0


def keyword(candidate: Candidate, asked: Asked) -> float:
    """The share of the asked words that the text has."""
    wanted = {*asked.terms}
    if not wanted:
        return 0.0
    return len(wanted & {*query_terms(candidate.text, ())}) / len(wanted)


@dataclass(frozen=True, slots=True)
class KindMatch:
    """1 for candidates of the wanted kinds."""

    kinds: tuple[str, ...]

    def __call__(self, candidate: Candidate, asked: Asked) -> float:
        """Whether its kind is one of them."""
        del asked
        return 1.0 if candidate.kind in self.kinds else 0.0
