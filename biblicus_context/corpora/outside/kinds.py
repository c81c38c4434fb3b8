"""The retrievers by `retriever_id` that search no corpus: their settings, and what makes one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from pydantic import ValidationError

from biblicus_context.base.deferred import Deferred
from biblicus_context.base.nesting import refuse_too_deep
from biblicus_context.embedders import AllowedKeys
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.retrieval.requests.setting_problems import SettingsProblem, all_problems
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.choosing import RequestSpec
from biblicus_context.spec.retriever import MCP, QDRANT, SQL
from biblicus_context.spec.retriever_settings import McpSpec, QdrantSpec, SqlSpec
from biblicus_context.stores import Principal


class Outside(Protocol):
    """What all principals of a declared retriever share, such as its connections."""

    def retriever(
        self, principal: Principal, /
    ) -> Callable[[ContextRetrieverRequest], ContextPack]:
        """The retriever of a principal."""
        ...


@dataclass(frozen=True, slots=True)
class OutsideKind:
    """What a `retriever_id` names."""

    settings: type[RequestSpec]
    make: Callable[..., Outside]
    """Takes typed settings, their place in errors, and the keys that an embedder may use."""


OUTSIDE: Final[Mapping[str, OutsideKind]] = {
    SQL: OutsideKind(SqlSpec, Deferred("biblicus_context.corpora.outside.sql:SqlTable")),
    QDRANT: OutsideKind(
        QdrantSpec, Deferred("biblicus_context.corpora.outside.qdrant:QdrantCollection")
    ),
    MCP: OutsideKind(McpSpec, Deferred("biblicus_context.corpora.outside.mcp:McpTool")),
}


def outside_kind(config: Mapping[str, Any]) -> OutsideKind | None:
    """The kind that a `config` names; None if it is one over a corpus, or of another library."""
    name = config.get("retriever_id")
    return OUTSIDE.get(name) if isinstance(name, str) else None


def outside(
    kind: OutsideKind, config: Mapping[str, Any], *, place: str, allow_keys: AllowedKeys
) -> Outside:
    """What a `config` declares; a PlanError for the first problem."""
    refuse_too_deep(config, place)
    try:
        spec = kind.settings.model_validate(without_templates(config))
    except ValidationError as error:
        raise all_problems(error, kind.settings)[0].error(place) from None
    return kind.make(spec, place=place, allow_keys=allow_keys)


def outside_problems(config: Mapping[str, Any]) -> Iterator[SettingsProblem]:
    """Every problem that shows without what is outside."""
    kind = outside_kind(config)
    if kind is None:
        return
    try:
        kind.settings.model_validate(without_templates(config))
    except ValidationError as error:
        yield from all_problems(error, kind.settings)


def without_templates(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are known before a call: it may fill filters."""
    known = {**config}
    if has_placeholders(known.get("filters")):
        del known["filters"]
    return known
