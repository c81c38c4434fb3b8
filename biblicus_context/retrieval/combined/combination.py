"""What a combined retriever declares, typed and built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import ValidationError

from biblicus_context.base.nesting import refuse_too_deep
from biblicus_context.base.registry import Registry
from biblicus_context.errors import ContextError
from biblicus_context.retrieval.fusion import FUSIONS, Fusion
from biblicus_context.retrieval.rank import COMPONENTS, Component, Ranks, WeightedSum
from biblicus_context.retrieval.requests.setting_problems import all_problems
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.retrieval.select import SELECTIONS, ItemCap, Select
from biblicus_context.spec.combined import CombinedSpec
from biblicus_context.spec.item_cap import item_cap_spec
from biblicus_context.text.compaction import Compaction


@dataclass(frozen=True, slots=True)
class MergeParts:
    """The families of parts that the settings of a combined retriever name."""

    rank: Registry[Component] = COMPONENTS
    fusion: Registry[Fusion] = FUSIONS
    select: Registry[Select] = SELECTIONS

    @classmethod
    def of(cls, added: Mapping[str, Mapping[str, Any]] | None) -> Self:
        """The built-in parts, and those that a caller adds to a family by name."""
        given = added or {}
        return cls(
            rank=COMPONENTS.adding(given.get("rank", {})),
            fusion=FUSIONS.adding(given.get("fusion", {})),
            select=SELECTIONS.adding(given.get("select", {})),
        )


@dataclass(frozen=True, slots=True)
class Combination:
    """How the blocks of several sources become one ranking."""

    spec: CombinedSpec
    fusion: Fusion
    select: Select
    rank: WeightedSum | None
    """None also where the call fills its placeholders."""
    item_cap: ItemCap | None
    parts: MergeParts
    place: str

    @classmethod
    def parse(
        cls, config: Mapping[str, Any], parts: MergeParts, compaction: Compaction, *, place: str
    ) -> Self:
        """The typed settings; a PlanError for the first problem."""
        refuse_too_deep(config, place)
        spec = combined_spec(config, place)
        try:
            late = has_placeholders(spec.rank)
            cap = item_cap_spec(spec.item_cap)
            return cls(
                spec,
                parts.fusion.build(spec.fusion),
                parts.select.build(spec.select),
                None if late or spec.rank is None else Ranks(parts.rank).build(spec.rank),
                None if cap is None else ItemCap.of(cap, compaction.build),
                parts,
                place,
            )
        except ContextError as error:
            raise error.within(place) from None

    def ranking(self, filled: object) -> WeightedSum | None:
        """The weights; `filled` are those whose placeholders the call filled."""
        if self.rank is not None or self.spec.rank is None:
            return self.rank
        try:
            return Ranks(self.parts.rank).build(filled)  # type: ignore[arg-type]  # it checks
        except ContextError as error:
            raise error.within(self.place) from None


def combined_spec(config: Mapping[str, Any], place: str) -> CombinedSpec:
    """The settings as a model; a PlanError for the first problem."""
    try:
        return CombinedSpec.model_validate(config)
    except ValidationError as error:
        raise all_problems(error, CombinedSpec)[0].error(place) from None
