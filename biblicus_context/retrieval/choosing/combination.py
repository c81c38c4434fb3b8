"""What a combined retriever declares, typed and built."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import ValidationError

from biblicus_context.base.nesting import refuse_too_deep
from biblicus_context.errors import ContextError
from biblicus_context.retrieval.choosing.choosing import Choosing, choosing_problems
from biblicus_context.retrieval.choosing.parts import ChoosingParts
from biblicus_context.retrieval.fusion import Fusion
from biblicus_context.retrieval.requests.setting_problems import SettingsProblem, all_problems
from biblicus_context.spec.combined import CombinedSpec
from biblicus_context.text.compaction import Compaction


@dataclass(frozen=True, slots=True)
class Combination:
    """How the blocks of several sources become one list, and what is chosen of it."""

    spec: CombinedSpec
    fusion: Fusion
    choosing: Choosing

    @classmethod
    def parse(cls, config: Mapping[str, Any], parts: ChoosingParts, *, place: str) -> Self:
        """The typed settings; a PlanError for the first problem."""
        refuse_too_deep(config, place)
        spec = combined_spec(config, place)
        try:
            fusion = parts.fusion.build(spec.fusion)
        except ContextError as error:
            raise error.within(place) from None
        return cls(spec, fusion, Choosing.of(spec, parts, place=place))


def parsed_combination(
    config: Mapping[str, Any],
    parts: Mapping[str, Mapping[str, Any]],
    compaction: Compaction,
    *,
    place: str,
) -> Combination:
    """The typed settings, with the parts that a caller adds."""
    known = ChoosingParts.of(parts, compactors=compaction)
    return Combination.parse(config, known, place=place)


def combined_spec(config: Mapping[str, Any], place: str) -> CombinedSpec:
    """The settings as a model; a PlanError for the first problem."""
    try:
        return CombinedSpec.model_validate(config)
    except ValidationError as error:
        raise all_problems(error, CombinedSpec)[0].error(place) from None


def combined_problems(config: Mapping[str, Any]) -> Iterator[SettingsProblem]:
    """Every problem that shows without the sources."""
    try:
        CombinedSpec.model_validate(config)
    except ValidationError as error:
        yield from all_problems(error, CombinedSpec)
    yield from choosing_problems(config, ChoosingParts())
