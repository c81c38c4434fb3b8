"""The settings of a retriever that shape its requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ConfigDict, ValidationError

from biblicus_context.base.validation import InvalidValue, first_invalid
from biblicus_context.errors import PlanError
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.choosing import QuerySpec, query_spec
from biblicus_context.spec.corpus import CorpusDeclaration, has_index
from biblicus_context.spec.retriever import (
    TEMPLATE_SETTINGS,
    RetrieverDeclaration,
    RetrieverSettings,
)


class ShapingSettings(RetrieverSettings):
    """The part of a retriever's `config` that shapes requests; the rest passes through."""

    model_config = ConfigDict(extra="ignore", defer_build=True)

    corpus: str | None = None


class RequestSettings(NamedTuple):
    """What every request of a retriever has in common."""

    query: QuerySpec | str | None
    """As it is written; None: the same as the end user's question."""
    query_spec: QuerySpec
    """The query with its options."""
    limit: int | None
    offset: int
    maximum_total_characters: int | None
    join_with: str
    corpus: str | None
    metadata: Mapping[str, Any]
    templates: Mapping[str, Any]
    """Settings in the metadata whose placeholders a call fills."""
    over_corpus: bool
    """Whether it is declared over a corpus of this package."""


def request_settings(
    retriever: RetrieverDeclaration, corpora: Mapping[str, CorpusDeclaration]
) -> RequestSettings:
    """The request settings of a declared retriever, with those of its corpus that apply.

    Settings that a Biblicus retriever keeps under `pipeline.query` or `pipeline.index` count as its
    own.
    """
    config = dict(retriever.config)
    pipeline = _mapping(_mapping(config.get("configuration")).get("pipeline")) or _mapping(
        config.get("pipeline")
    )
    config.update(_mapping(pipeline.get("query")))
    config["configuration"] = _configuration(config, pipeline)
    try:
        settings = ShapingSettings.model_validate(config)
    except ValidationError as error:
        invalid = _as_written(first_invalid(error))
        place = f"retriever '{retriever.name}' config"
        raise PlanError(str(invalid), place=place, found=invalid.value) from None
    corpus = settings.corpus or retriever.corpus
    metadata = _request_metadata(retriever.name, corpus, config, corpora)
    return RequestSettings(
        query=settings.query,
        query_spec=query_spec(settings.query),
        limit=settings.limit,
        offset=settings.offset,
        maximum_total_characters=settings.maximum_total_characters,
        join_with=settings.join_with,
        corpus=corpus,
        metadata=metadata,
        templates={
            key: metadata[key]
            for key in TEMPLATE_SETTINGS
            if key in metadata and has_placeholders(metadata[key])
        },
        over_corpus=config.get("retriever_id") is not None
        and has_index(_corpus_config(corpus, corpora)),
    )


def _as_written(invalid: InvalidValue) -> InvalidValue:
    """Pydantic names the kind of query after the key, which no author writes."""
    if invalid.path[:1] != ("query",) or len(invalid.path) == 1:
        return invalid
    if len(invalid.path) == 2:
        return invalid._replace(path=("query",), problem="must be text, or a mapping with template")
    return invalid._replace(path=("query", *invalid.path[2:]))


def _configuration(
    config: Mapping[str, Any], pipeline: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """The settings an index is built from; empty means the defaults, None that none is built."""
    places = (config.get("configuration"), pipeline.get("index"), config.get("index"))
    for place in places:
        if place is not None and isinstance(place, Mapping):
            return place
    return {} if pipeline else None


def _corpus_config(
    corpus: str | None, corpora: Mapping[str, CorpusDeclaration]
) -> Mapping[str, Any]:
    return corpora[corpus].config if corpus is not None and corpus in corpora else {}


def _request_metadata(
    name: str,
    corpus: str | None,
    config: Mapping[str, Any],
    corpora: Mapping[str, CorpusDeclaration],
) -> dict[str, Any]:
    """The metadata of every request, under the names of Biblicus."""
    place = _corpus_config(corpus, corpora)
    shaping = {"query", "limit", "offset", "maximum_total_characters", "pipeline", "index"}
    return {
        **{key: value for key, value in config.items() if key not in shaping},
        "retriever": name,
        "corpus": corpus,
        "split": place.get("split", config.get("split", "train")),
        "maximum_cache_total_items": place.get("maximum_cache_total_items"),
        "maximum_cache_total_characters": place.get("maximum_cache_total_characters"),
        "maximum_items_per_source": config.get(
            "maximum_items_per_source", config.get("max_items_per_source")
        ),
        "include_metadata": config.get("include_metadata", False),
        "metadata_fields": config.get("metadata_fields"),
        "retriever_id": config.get("retriever_id"),
        "corpus_root": place.get("corpus_root", place.get("root")),
        "snapshot_id": config.get("snapshot_id"),
        "configuration_name": config.get("configuration_name"),
        "configuration": config.get("configuration"),
    }


def _mapping(value: object) -> Mapping[str, Any]:
    return value if value and isinstance(value, Mapping) else {}
