"""Several searches of one query, made one ranking."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, isfinite, sqrt
from typing import Final, Generic, Literal, Self, TypeAlias, TypeVar

from pydantic import Field

from biblicus_context.base.registry import Registry
from biblicus_context.errors import InputError
from biblicus_context.spec.base import StrictSpec

Column: TypeAlias = Sequence[float]
Name = TypeVar("Name", str, int)
"""The id of a block, or the number that a store gave it."""


@dataclass(frozen=True, slots=True)
class Scores(Generic[Name]):
    """One row per block, in the order of ids; the parts are columns, which is fast.

    >>> scores = Scores.of(["a", "b"], {"text": [1.0, 0.5], "vector": [0.0, 1.0]})
    >>> scores.ranked(), scores.parts_of("b")
    (['b', 'a'], {'text': 0.5, 'vector': 1.0})
    """

    ids: Sequence[Name]
    parts: Mapping[str, Column]
    totals: Column

    @classmethod
    def of(cls, ids: Sequence[Name], parts: Mapping[str, Column]) -> Self:
        """Scores of sorted ids, with one number for each of them in every column."""
        return cls(ids, parts, _summed(len(ids), parts))

    def by_id(self) -> dict[Name, float]:
        """The score of each block."""
        return dict(zip(self.ids, self.totals, strict=True))

    def ranked(self) -> list[Name]:
        """Best first; by id where scores are equal."""
        rows = sorted(range(len(self.ids)), key=self.totals.__getitem__, reverse=True)
        return [self.ids[row] for row in rows]

    def parts_of(self, block: Name) -> dict[str, float]:
        """The parts of the score of one block."""
        row = bisect_left(self.ids, block)
        if row == len(self.ids) or self.ids[row] != block:
            raise KeyError(block)
        return {name: column[row] for name, column in self.parts.items()}


def _summed(rows: int, parts: Mapping[str, Column]) -> list[float]:
    return [sum(row) for row in zip(*parts.values(), strict=True)] if parts else [0.0] * rows


@dataclass(frozen=True, slots=True)
class Search(Generic[Name]):
    """The raw scores of one search, by block; higher is better, and the scale is its own."""

    name: str
    scores: Mapping[Name, float]
    weight: float = 1.0
    missing: float | None = None
    """The score of a block that this search did not find; None: the lowest score that it found."""

    def over(self, ids: Sequence[Name]) -> list[float]:
        """A score for each id; a score that is not a finite number counts as not found."""
        scores, missing = self.scores, self.missing
        if missing is None:
            missing = min(filter(isfinite, scores.values()), default=0.0)
        given = [scores.get(block, missing) for block in ids]
        return [score if isfinite(score) else missing for score in given]


Fusion: TypeAlias = Callable[[Sequence[Search[int]]], Scores[int]]
"""Makes one score for each block that any of the searches found; each search gives one part."""


def fused(
    searches: Sequence[Search[Name]], given: Callable[[Search[Name], Sequence[Name]], Column]
) -> Scores[Name]:
    """The scores of every block that a search found, where `given` is one search's part of them."""
    names: list[str] = [search.name for search in searches]
    if len({*names}) < len(names):
        raise InputError("two searches to fuse have the same name", found=", ".join(names))
    # Sorted, so that ties do not depend on the order of a set or of the searches.
    ids = sorted({block for search in searches for block in search.scores})
    return Scores.of(ids, {search.name: given(search, ids) for search in searches})


_REST: Final = 0.001
"""The share of a score that still counts below the mean: it orders blocks that no search lifts."""


class StandardScores(StrictSpec):
    """The weighted sum of standard scores, where a score below the mean takes nothing away.

    >>> scores = StandardScores()([Search("text", {"a": 9.0, "b": 1.0}), Search("vector", {"b": 0.5})])
    >>> [round(total, 3) for total in scores.totals]
    [1.002, 0.001]
    """

    def __call__(self, searches: Sequence[Search[Name]]) -> Scores[Name]:
        """One score for each block that any of the searches found."""
        return fused(searches, _lifted)


def _lifted(search: Search[Name], ids: Sequence[Name]) -> list[float]:
    scores, weight = search.over(ids), search.weight
    return [
        weight * ((lift if lift > 0 else 0.0) + _REST * rest)
        for lift, rest in zip(_standard(scores), _unit_scores(scores), strict=True)
    ]


class ReciprocalRank(StrictSpec):
    """The weighted sum of 1 / (constant + place); blocks of equal score share the better place.

    A block has no place in a search that did not find it.

    >>> ReciprocalRank(constant=1)([Search("text", {"a": 9.0, "b": 1.0})]).by_id()["a"]
    0.5
    """

    constant: float = Field(
        default=60.0,
        ge=0,
        description="Added to each place: the higher, the less the first counts.",
    )

    def __call__(self, searches: Sequence[Search[Name]]) -> Scores[Name]:
        """One score for each block that any of the searches found."""
        return fused(searches, self._given)

    def _given(self, search: Search[Name], ids: Sequence[Name]) -> list[float]:
        scores = {block: score for block, score in search.scores.items() if score != search.missing}
        places: dict[float, int] = {}
        for place, score in enumerate(sorted(scores.values(), reverse=True), start=1):
            places.setdefault(score, place)
        found = {
            block: search.weight / (self.constant + places[score])
            for block, score in scores.items()
        }
        return [found.get(block, 0.0) for block in ids]


class WeightedScores(StrictSpec):
    """The weighted sum of scores, where the best of each search counts 1 and its least 0.

    >>> WeightedScores()([Search("text", {"a": 9.0, "b": 5.0, "c": 1.0}, weight=2.0)]).totals
    [2.0, 1.0, 0.0]
    """

    def __call__(self, searches: Sequence[Search[Name]]) -> Scores[Name]:
        """One score for each block that any of the searches found."""
        return fused(searches, _weighted)


def _weighted(search: Search[Name], ids: Sequence[Name]) -> list[float]:
    return [search.weight * score for score in _unit_scores(search.over(ids))]


_MOST: Final = 1e300
"""Sums of scores stay finite."""


class GivenScores(StrictSpec):
    """The weighted scores as each search gives them: their sum, or the best of them.

    >>> searches = [Search("tree", {"a": 0.9}), Search("found", {"a": 0.2, "b": 0.5})]
    >>> GivenScores()(searches).totals, GivenScores(of_several="best")(searches).totals
    ([1.1, 0.5], [0.9, 0.5])
    """

    of_several: Literal["sum", "best"] = Field(
        default="sum", description="The score of a block that several searches found."
    )

    def __call__(self, searches: Sequence[Search[Name]]) -> Scores[Name]:
        """One score for each block that any of the searches found."""
        return fused(_best(searches) if self.of_several == "best" else searches, _given)


def _best(searches: Sequence[Search[Name]]) -> list[Search[Name]]:
    """Each block in the search that gives it most alone; in the first of several such."""
    best: dict[Name, tuple[float, int]] = {}
    for place, search in enumerate(searches):
        for block, score in search.scores.items():
            given = _finite(search.weight * score)
            if block not in best or given > best[block][0]:
                best[block] = given, place
    return [replace(each, scores=_own(each, place, best)) for place, each in enumerate(searches)]


def _own(
    search: Search[Name], place: int, best: Mapping[Name, tuple[float, int]]
) -> dict[Name, float]:
    return {block: score for block, score in search.scores.items() if best[block][1] == place}


def _given(search: Search[Name], ids: Sequence[Name]) -> list[float]:
    return [_finite(search.weight * search.scores.get(block, 0.0)) for block in ids]


def _finite(score: float) -> float:
    return max(-_MOST, min(_MOST, score)) if isfinite(score) else 0.0


def _unit_scores(scores: Sequence[float]) -> list[float]:
    """The lowest is 0 and the highest 1; all are 1 if they are equal.

    >>> _unit_scores([2.0, 4.0, 3.0])
    [0.0, 1.0, 0.5]
    """
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    width = high - low
    return [(score - low) / width if width > 0 else 1.0 for score in scores]


def _standard(scores: Sequence[float]) -> list[float]:
    """How many standard deviations each is above the mean; 0 if all are equal.

    >>> _standard([1.0, 3.0])
    [-1.0, 1.0]
    """
    if min(scores, default=0.0) == max(scores, default=0.0):
        return [0.0] * len(scores)  # a rounded mean may differ from all of them
    # Exact sums: the order of the blocks must not change a result.
    mean = fsum(scores) / len(scores)
    spread = sqrt(fsum([(score - mean) ** 2 for score in scores]) / len(scores))
    return [(score - mean) / spread if spread > 0 else 0.0 for score in scores]


FUSIONS: Final = Registry[Fusion](
    noun="fusion",
    group="biblicus_context.fusion",
    default="standard_scores",
    entries={
        "standard_scores": StandardScores,
        "reciprocal_rank": ReciprocalRank,
        "weighted_scores": WeightedScores,
        "given_scores": GivenScores,
    },
)
