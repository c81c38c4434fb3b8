"""The weighted mean of components."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite

from biblicus_context.errors import InputError
from biblicus_context.retrieval.candidate import Candidate, best_first
from biblicus_context.retrieval.rank.component import Component, RankingQuery


@dataclass(frozen=True, slots=True)
class WeightedComponent:
    """A component with its name and weight."""

    name: str
    component: Component
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """The mean of all components by their weights, so that a score stays within 0..1."""

    components: tuple[WeightedComponent, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The components, in order."""
        return tuple(each.name for each in self.components)

    def __call__(self, candidates: Iterable[Candidate], query: RankingQuery) -> list[Candidate]:
        """Best first, ties by id, with the new `score` and the unweighted components added to `parts`."""
        given = list(candidates)
        best = max((each.score for each in given), default=0.0)
        facts = replace(query, best=max(best, query.best))
        return best_first(self._ranked(each, facts) for each in given)

    def _ranked(self, candidate: Candidate, query: RankingQuery) -> Candidate:
        values = {each.name: _value(each, candidate, query) for each in self.components}
        total = sum(each.weight for each in self.components)
        score = sum(each.weight * values[each.name] for each in self.components) / total
        return candidate._replace(score=score, parts={**candidate.parts, **values})


def _value(weighed: WeightedComponent, candidate: Candidate, query: RankingQuery) -> float:
    value = weighed.component(candidate, query)
    if not _is_finite(value):
        raise InputError(
            f"a component of a ranking must return a number: found {value!r:.200}",
            place=f"component '{weighed.name}', block '{candidate.id}'",
        )
    return min(1.0, max(0.0, value))


def _is_finite(value: float) -> bool:
    """Whether it is a finite number; a component of a caller may return anything."""
    try:
        return isfinite(value)
    except TypeError:
        return False
