"""The settings that a snapshot is built by, with the defaults of its retriever."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import PlanError
from biblicus_context.retrieval.biblicus_corpus.library import BiblicusRetriever

_MODELS: Final = {
    "embedding-index-file": "EmbeddingIndexConfiguration",
    "embedding-index-inmemory": "EmbeddingIndexInMemoryConfiguration",
    "hybrid": "HybridConfiguration",
    "scan": "ScanConfiguration",
    "sqlite-full-text-search": "SqliteFullTextSearchConfiguration",
    "tf-vector": "TfVectorConfiguration",
}
"""The model in the module of a retriever that adds the defaults to a configuration."""


def wanted(retriever: BiblicusRetriever, configuration: Mapping[str, Any]) -> dict[str, Any] | None:
    """The settings a snapshot must have, or None if any will do."""
    try:
        return with_defaults(retriever, configuration)
    except ValidationError as error:
        if not configuration:
            # Tactus sends an empty configuration where its author wrote none.
            return None
        raise refused(retriever, error) from None


def with_defaults(retriever: BiblicusRetriever, configuration: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting that a snapshot is built by; a ValidationError if one is invalid."""
    settings = index_settings(configuration)
    name = _MODELS.get(retriever.retriever_id)
    if name is None:
        return settings
    model: type[BaseModel] = getattr(import_module(type(retriever).__module__), name)
    return model.model_validate(settings).model_dump(mode="json")


def index_settings(configuration: Mapping[str, Any]) -> dict[str, Any]:
    """A Tactus retriever keeps further settings of its index under `pipeline.index`."""
    pipeline = configuration.get("pipeline")
    if not isinstance(pipeline, Mapping):
        return dict(configuration)
    index = pipeline.get("index")
    own = {
        name: value
        for name, value in configuration.items()
        if name != "pipeline" and value is not None
    }
    return {**(index if isinstance(index, Mapping) else {}), **own}


def refused(retriever: BiblicusRetriever, error: ValueError) -> PlanError:
    """Why no snapshot can be built."""
    if not isinstance(error, ValidationError):
        return PlanError(str(error), place=f"snapshot of retriever '{retriever.retriever_id}'")
    invalid = first_invalid(error)
    place = f"configuration of retriever '{retriever.retriever_id}'"
    return PlanError(str(invalid), place=place, found=invalid.value)
