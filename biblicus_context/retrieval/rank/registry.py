"""The components by name, and rankings built from settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from biblicus_context.base.registry import Registry
from biblicus_context.errors import PlanError
from biblicus_context.retrieval.rank.candidate_facts import (
    Affinity,
    Confidence,
    FieldValue,
    FoundBy,
    Importance,
    KindMatch,
    KindPriorities,
    Position,
    Proximity,
    SourcePriority,
    Structure,
    UsageFrequency,
)
from biblicus_context.retrieval.rank.match import Similarity, TfIdf, keyword
from biblicus_context.retrieval.rank.recency import Recency
from biblicus_context.retrieval.rank.weighted_sum import Component, WeightedComponent, WeightedSum

COMPONENTS: Final = Registry[Component](
    noun="ranking component",
    group="biblicus_context.rank",
    default="similarity",
    entries={
        "similarity": Similarity,
        "keyword": keyword,
        "tfidf": TfIdf,
        "recency": Recency,
        "confidence": Confidence,
        "importance": Importance,
        "source": SourcePriority,
        "found_by": FoundBy,
        "proximity": Proximity,
        "usage": UsageFrequency,
        "kind": KindMatch,
        "kinds": KindPriorities,
        "field": FieldValue,
        "position": Position,
        "structure": Structure,
        "affinity": Affinity,
    },
)


@dataclass(frozen=True, slots=True)
class Ranks:
    """Builds rankings from one component, or from the weights of several.

    >>> Ranks().build({"similarity": 2, "recency": {"weight": 1, "curve": "linear"}}).names
    ('similarity', 'recency')
    """

    components: Registry[Component] = COMPONENTS

    def build(self, config: str | Mapping[str, Any] | None = None) -> WeightedSum:
        """The ranking of a name, or of weights (or settings with a weight) per component."""
        match config:
            case None:
                return self.build(self.components.default)
            case str():
                return self.build({config: 1.0})
            case Mapping() if config:
                every = [self._weighed(name, given) for name, given in config.items()]
                if parts := tuple(each for each in every if each.weight):
                    return WeightedSum(parts)
                raise PlanError("no component has a weight above 0", place="rank", found=config)
        raise PlanError(
            "a ranking is a name, or components with their weights",
            found=config,
            valid=self.components.names,
        )

    def _weighed(self, name: str, given: object) -> WeightedComponent:
        settings = dict(given) if isinstance(given, Mapping) else {"weight": given}
        weight = settings.pop("weight", 1.0)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < 1e9:
            raise PlanError("a weight is a number from 0 on", place=f"rank: {name}", found=weight)
        typed = {**settings, "type": settings.get("type", name)}
        component = self.components.build(typed, also=("weight",))
        return WeightedComponent(name, component, float(weight))
