"""A weight for each value of a metadata field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A weight for each value of a metadata field, such as tiers; of a list the best value counts.

    >>> FieldValue("tier", {"gold": 1.0, "silver": 0.8}).usual
    0.0
    """

    field: str
    """The name of the field; dots lead into mappings."""
    values: Mapping[str, Share]
    """Numbers, true and false are written as in JSON."""
    usual: Share = 0.0
    """The weight of any other value, and of a candidate without the field."""

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The weight of its value."""
        del query
        weights = [self.values.get(value, self.usual) for value in self._values(candidate)]
        return max(weights, default=self.usual)

    def _values(self, candidate: Candidate) -> Iterator[str]:
        found: object = candidate.metadata
        for name in self.field.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
        for value in found if isinstance(found, list | tuple) else [found]:
            yield str(value).lower() if isinstance(value, bool) else str(value)
