"""A ranking: the weighted mean of the components that score a candidate."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import isfinite
from typing import Annotated, TypeAlias

from pydantic import Field

from biblicus_context.errors import InputError
from biblicus_context.retrieval.candidate import Candidate, best_first

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


def _equally_rare(_term: str) -> float:
    return 1.0


def _unrelated(_document: str, _others: Sequence[str]) -> int | None:
    return None


def _nothing_done(_document: str) -> Collection[str]:
    return ()


def _as_similar_as_can_be() -> float:
    return 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingQuery:
    """What a component may use besides the candidate."""

    now: datetime
    """With a time zone; passed in rather than read from the clock, so that a ranking can be repeated."""
    terms: tuple[str, ...] = ()
    best: float = 0.0
    """The highest score; `WeightedSum` raises it to that of its candidates."""
    similarity_of_best: Callable[[], float] = _as_similar_as_can_be
    """How similar the block with the highest score is to the query, from 0 to 1."""
    rarity: Callable[[str], float] = _equally_rare
    """How rare a word is in all corpora that were searched."""
    rarity_in: Mapping[str, Callable[[str], float]] = field(default_factory=dict)
    """How rare it is in each of them, by name."""
    distance: Callable[[str, Sequence[str]], int | None] = _unrelated
    """Steps in the tree from a document to the nearest of others; None if there is no way."""
    actions: Callable[[str], Collection[str]] = _nothing_done
    """What the asking user did with a document: edit, view."""


Component: TypeAlias = Callable[[Candidate, RankingQuery], float]
"""A score from 0 to 1: higher is better."""


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
