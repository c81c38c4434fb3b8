"""The families of parts that the settings of choosing name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from biblicus_context.base.registry import Registry
from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion import FUSIONS, Fusion
from biblicus_context.retrieval.rank import COMPONENTS, Component
from biblicus_context.retrieval.select import SELECTIONS, Select
from biblicus_context.text.compaction import Compaction

_FAMILIES: Final = ("retrievers", "rank", "fusion", "select")


@dataclass(frozen=True, slots=True)
class ChoosingParts:
    """Every family, with the built-in parts, those of entry points, and those a caller adds."""

    rank: Registry[Component] = COMPONENTS
    fusion: Registry[Fusion] = FUSIONS
    select: Registry[Select] = SELECTIONS
    compactors: Compaction = field(default_factory=Compaction)

    @classmethod
    def of(
        cls,
        added: Mapping[str, Mapping[str, Any]] | None,
        *,
        compactors: Compaction | None = None,
    ) -> Self:
        """The built-in parts, and those that a caller adds to a family by name.

        `compactors` are those of a project, with those that a caller adds.

        >>> first = {"select": {"first": lambda found, room: found[:1]}}
        >>> "first" in ChoosingParts.of(first).select.names
        True
        """
        given = added or {}
        for family in given:
            if family not in _FAMILIES:
                raise InputError("unknown family of retrieval parts", found=family, valid=_FAMILIES)
        return cls(
            rank=COMPONENTS.adding(given.get("rank", {})),
            fusion=FUSIONS.adding(given.get("fusion", {})),
            select=SELECTIONS.adding(given.get("select", {})),
            compactors=compactors or Compaction(),
        )
