"""How a retriever chooses: what its settings declare, built once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from biblicus_context.errors import ContextError
from biblicus_context.retrieval.choosing.parts import ChoosingParts
from biblicus_context.retrieval.rank import Ranks, WeightedSum
from biblicus_context.retrieval.requests.setting_problems import (
    SettingsProblem,
    refused,
    refused_entries,
)
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.retrieval.select import CutNote, ItemCap, RankOrder, Select
from biblicus_context.spec.choosing import ChoosingSpec, item_cap_spec
from biblicus_context.text.compaction import Compaction


@dataclass(frozen=True, slots=True)
class Choosing:
    """What ranks, leaves out and selects the blocks of one retriever."""

    spec: ChoosingSpec
    select: Select
    rank: WeightedSum | None
    """None also where the call fills its placeholders."""
    item_cap: ItemCap
    parts: ChoosingParts
    place: str
    """The retriever, as errors name it."""

    @classmethod
    def of(cls, spec: ChoosingSpec, parts: ChoosingParts, *, place: str) -> Self:
        """Everything built; a PlanError for the first problem."""
        try:
            late = has_placeholders(spec.rank)
            return cls(
                spec=spec,
                select=parts.select.build(spec.select),
                rank=None if late or spec.rank is None else Ranks(parts.rank).build(spec.rank),
                item_cap=ItemCap.of(item_cap_spec(spec.item_cap), parts.compactors.build),
                parts=parts,
                place=place,
            )
        except ContextError as error:
            raise error.within(place) from None

    @property
    def fills_in_order(self) -> bool:
        """Whether the selection only fills in order of rank, which happens in any case."""
        return isinstance(self.select, RankOrder)

    def ranking(self, filled: object) -> WeightedSum | None:
        """The weights; `filled` are those whose placeholders the call filled."""
        if self.rank is not None or self.spec.rank is None:
            return self.rank
        try:
            return Ranks(self.parts.rank).build(filled)  # type: ignore[arg-type]  # it checks
        except ContextError as error:
            raise error.within(self.place) from None


def choosing_problems(config: Mapping[str, Any], parts: ChoosingParts) -> Iterator[SettingsProblem]:
    """What is wrong with the parts that settings name, as far as that shows before a call."""
    builders: Mapping[str, Callable[[Any], object]] = {
        "rank": Ranks(parts.rank).build,
        "fusion": parts.fusion.build,
        "select": parts.select.build,
        "item_cap": _check_item_cap,
    }
    for setting, build in builders.items():
        waits = setting == "rank" and has_placeholders(config.get(setting))
        if setting in config and not waits:
            refusals = refused_entries if setting == "rank" else refused
            yield from refusals(setting, config[setting], build)


def _check_item_cap(cap: Any) -> None:
    """Raise for a note with unknown names, or for settings of a compactor: projects have names of theirs."""
    if not isinstance(cap, Mapping):
        return
    note, compactor = cap.get("cut_note"), cap.get("compactor")
    if isinstance(note, str):
        CutNote(note)
    if isinstance(compactor, Mapping):
        Compaction().check(compactor)
