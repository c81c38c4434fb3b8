"""What is wrong with the settings of a combined retriever itself, as the linter reports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from biblicus_context.retrieval.combined.combination import MergeParts
from biblicus_context.retrieval.rank import Ranks
from biblicus_context.retrieval.requests.setting_problems import (
    SettingsProblem,
    all_problems,
    refused,
    refused_entries,
)
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.combined import CombinedSpec


def problems(config: Mapping[str, Any]) -> Iterator[SettingsProblem]:
    """Every problem that shows without the sources."""
    parts = MergeParts()
    try:
        CombinedSpec.model_validate(config)
    except ValidationError as error:
        yield from all_problems(error, CombinedSpec)
    builders: Mapping[str, Callable[[Any], object]] = {
        "rank": Ranks(parts.rank).build,
        "fusion": parts.fusion.build,
        "select": parts.select.build,
    }
    for setting, build in builders.items():
        if setting in config and not has_placeholders(config[setting]):
            refusals = refused_entries if setting == "rank" else refused
            yield from refusals(setting, config[setting], build)
