"""The settings of a retriever, and of those that a combined one declares in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.retriever import COMBINED, OF_SOURCES

Path: TypeAlias = tuple[Step, ...]


def all_settings(
    config: Mapping[str, Any], path: Path = ("config",)
) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The settings, and those of each source that has a `retriever_id`, with their paths."""
    yield path, config
    for index, source in sources_in(config):
        if isinstance(source, Mapping) and isinstance(source.get("retriever_id"), str):
            own = {key: value for key, value in source.items() if key not in OF_SOURCES}
            yield from all_settings(own, (*path, "of", index))


def sources_in(config: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
    """The sources of a combined retriever as they are written, with their positions."""
    sources = config.get("of") if config.get("retriever_id") == COMBINED else None
    yield from enumerate(sources if isinstance(sources, list | tuple) else ())


def source_name(source: object) -> tuple[Path, str] | None:
    """The name of a declared retriever, with its path in the entry; None if it is declared in place."""
    if isinstance(source, str):
        return (), source
    if isinstance(source, Mapping) and "retriever_id" not in source:
        name = source.get("name")
        return (("name",), name) if isinstance(name, str) else None
    return None
