"""A weight for each value of a metadata field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share
from biblicus_context.spec.base import StrictSpec


class FieldValue(StrictSpec):
    """A weight for each value of a metadata field, such as tiers; of a list the best value counts.

    >>> FieldValue(field="tier", values={"gold": 1.0, "silver": 0.8}).usual
    0.0
    """

    field: str = Field(
        description="Name of the metadata field; dots lead into mappings.", examples=["tier"]
    )
    values: Mapping[str, Share] = Field(
        description="The score of each value; numbers, true and false are written as in JSON.",
        examples=[{"gold": 1, "silver": 0.8}],
    )
    usual: Share = Field(
        default=0.0, description="The score of any other value, and of a block without the field."
    )

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
