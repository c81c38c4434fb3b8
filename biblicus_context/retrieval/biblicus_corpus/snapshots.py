"""Which snapshot is queried: the named one, the latest that matches, or a new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError, PlanError, closest
from biblicus_context.retrieval.biblicus_corpus.library import (
    BiblicusCorpus,
    BiblicusRetriever,
    BiblicusSnapshot,
)


def named(
    snapshot_id: str, corpus: BiblicusCorpus, retriever: BiblicusRetriever
) -> BiblicusSnapshot:
    """The snapshot of this id, which must be of the retriever."""
    snapshot = _loaded(corpus, snapshot_id)
    asked = retriever.retriever_id
    if snapshot is None:
        known = [each.snapshot_id for each in _kept(corpus, asked)]
        raise InputError(
            "the corpus has no such snapshot",
            place="snapshot_id",
            found=snapshot_id,
            valid=closest(snapshot_id, known),
        )
    owner = snapshot.configuration.retriever_id
    if owner != asked:
        raise InputError(
            f"snapshot '{snapshot_id}' is of retriever '{owner}', not of '{asked}'",
            fix=f"Use retriever_id='{owner}', or name a snapshot of '{asked}'.",
        )
    return snapshot


def latest(
    corpus: BiblicusCorpus, retriever: BiblicusRetriever, configuration: Mapping[str, Any] | None
) -> BiblicusSnapshot | None:
    """The latest snapshot that has all items and was built by these settings (None: by any)."""
    settings = None if configuration is None else _wanted(retriever, configuration)
    current = _current(corpus, retriever.retriever_id)
    return next((found for found in current if _matches(found, retriever, settings)), None)


def built(
    corpus: BiblicusCorpus,
    retriever: BiblicusRetriever,
    configuration: Mapping[str, Any] | None,
    configuration_name: str | None,
) -> BiblicusSnapshot:
    """A new snapshot; an error without settings to build it by."""
    if configuration is None:
        raise _no_snapshot(corpus, retriever.retriever_id)
    try:
        return retriever.build_snapshot(
            corpus,
            configuration_name=configuration_name or f"Context pack ({retriever.retriever_id})",
            configuration=_index_settings(configuration),
        )
    except ValueError as error:
        raise _refused(retriever, error) from error


def _current(corpus: BiblicusCorpus, retriever_id: str) -> Iterator[BiblicusSnapshot]:
    """The corpus' latest snapshot, then the others of one retriever that have all its items."""
    catalog = corpus.load_catalog()
    if catalog.latest_snapshot_id and (newest := _loaded(corpus, catalog.latest_snapshot_id)):
        yield newest
    for each in _kept(corpus, retriever_id):
        if each.catalog_generated_at == catalog.generated_at:
            yield each


def _kept(corpus: BiblicusCorpus, retriever_id: str) -> list[BiblicusSnapshot]:
    """The snapshots of one retriever, the newest first."""
    manifests = (corpus.snapshots_dir / retriever_id).glob("*/manifest.json")
    snapshots = [corpus.load_snapshot(path.parent.name) for path in manifests]
    return sorted(snapshots, key=lambda snapshot: snapshot.created_at, reverse=True)


def _loaded(corpus: BiblicusCorpus, snapshot_id: str) -> BiblicusSnapshot | None:
    try:
        return corpus.load_snapshot(snapshot_id)
    except FileNotFoundError:
        return None


def _matches(
    snapshot: BiblicusSnapshot, retriever: BiblicusRetriever, settings: dict[str, Any] | None
) -> bool:
    kept = snapshot.configuration
    if kept.retriever_id != retriever.retriever_id:
        return False
    try:
        return settings is None or settings == _with_defaults(retriever, kept.configuration)
    except ValidationError:
        # Another release of Biblicus had other settings.
        return False


def _no_snapshot(corpus: BiblicusCorpus, retriever_id: str) -> InputError:
    kept = _kept(corpus, retriever_id)
    if not kept:
        return InputError(
            "No retrieval snapshot available for the requested retriever",
            fix="Provide snapshot_id or configuration to build one.",
        )
    some = f"all {len(kept)} snapshots" if len(kept) > 1 else "the one snapshot"
    verb = "are" if len(kept) > 1 else "is"
    return InputError(
        f"{some} of retriever '{retriever_id}' {verb} older than the corpus' last change",
        fix="Provide configuration to build a new one, "
        f"or use the newest of them: snapshot_id='{kept[0].snapshot_id}'.",
    )


_MODELS: Final = {
    "embedding-index-file": "EmbeddingIndexConfiguration",
    "embedding-index-inmemory": "EmbeddingIndexInMemoryConfiguration",
    "hybrid": "HybridConfiguration",
    "scan": "ScanConfiguration",
    "sqlite-full-text-search": "SqliteFullTextSearchConfiguration",
    "tf-vector": "TfVectorConfiguration",
}
"""The model in the module of a retriever that adds the defaults to a configuration."""


def _wanted(
    retriever: BiblicusRetriever, configuration: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The settings a snapshot must have, or None if any will do."""
    try:
        return _with_defaults(retriever, configuration)
    except ValidationError as error:
        if not configuration:
            # Tactus sends an empty configuration where its author wrote none.
            return None
        raise _refused(retriever, error) from None


def _with_defaults(
    retriever: BiblicusRetriever, configuration: Mapping[str, Any]
) -> dict[str, Any]:
    """Every setting that a snapshot is built by; a ValidationError if one is invalid."""
    settings = _index_settings(configuration)
    name = _MODELS.get(retriever.retriever_id)
    if name is None:
        return settings
    model: type[BaseModel] = getattr(import_module(type(retriever).__module__), name)
    return model.model_validate(settings).model_dump(mode="json")


def _index_settings(configuration: Mapping[str, Any]) -> dict[str, Any]:
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


def _refused(retriever: BiblicusRetriever, error: ValueError) -> PlanError:
    """Why no snapshot can be built."""
    if not isinstance(error, ValidationError):
        return PlanError(str(error), place=f"snapshot of retriever '{retriever.retriever_id}'")
    invalid = first_invalid(error)
    place = f"configuration of retriever '{retriever.retriever_id}'"
    return PlanError(str(invalid), place=place, found=invalid.value)
