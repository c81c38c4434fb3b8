"""Packs from a Biblicus corpus, where the `biblicus` package is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from pydantic import BaseModel, ValidationError

from biblicus_context.errors import InputError, MissingExtraError, PlanError, UnknownNameError
from biblicus_context.retrieval.builders import ContextPackPolicy, build_context_pack
from biblicus_context.retrieval.cutting import start_of_best, within_characters
from biblicus_context.retrieval.fitters import (
    TokenBudget,
    TokenCounter,
    fit_context_pack_to_token_budget,
)
from biblicus_context.retrieval.pack import ContextPack
from biblicus_context.retrieval.request import ContextRetrieverRequest

_CHARACTERS_PER_TOKEN: Final = 4

_CONFIGURATION_MODELS: Final = {
    "embedding-index-file": "EmbeddingIndexConfiguration",
    "embedding-index-inmemory": "EmbeddingIndexInMemoryConfiguration",
    "hybrid": "HybridConfiguration",
    "scan": "ScanConfiguration",
    "sqlite-full-text-search": "SqliteFullTextSearchConfiguration",
    "tf-vector": "TfVectorConfiguration",
}
"""The model in a retriever's module that adds the defaults to a configuration."""


class _Configuration(Protocol):
    @property
    def retriever_id(self) -> str: ...
    @property
    def configuration(self) -> dict[str, Any]: ...


class _Snapshot(Protocol):
    """An index of a corpus as it was at one time."""

    @property
    def configuration(self) -> _Configuration: ...
    @property
    def catalog_generated_at(self) -> str: ...
    @property
    def created_at(self) -> str: ...


class _Catalog(Protocol):
    @property
    def latest_snapshot_id(self) -> str | None: ...
    @property
    def generated_at(self) -> str: ...


class BiblicusCorpus(Protocol):
    """What is read of a Biblicus corpus."""

    @property
    def snapshots_dir(self) -> Path: ...
    def load_snapshot(self, snapshot_id: str) -> _Snapshot: ...
    def load_catalog(self) -> _Catalog: ...


def retrieve_context_pack(  # noqa: PLR0913 - the signature is that of Biblicus
    *,
    request: ContextRetrieverRequest,
    corpus: BiblicusCorpus,
    retriever_id: str,
    snapshot_id: str | None = None,
    configuration_name: str | None = None,
    configuration: Mapping[str, Any] | None = None,
    join_with: str = "\n\n",
    max_items_per_source: int | None = None,
    include_metadata: bool = False,
    metadata_fields: list[str] | None = None,
    token_counter: TokenCounter | None = None,
) -> ContextPack:
    """One page of evidence from a snapshot: the named one, the latest that suits, or a new one."""
    retriever = _retriever(retriever_id)
    snapshot = (
        _named(snapshot_id, corpus, retriever)
        if snapshot_id
        else _latest(corpus, retriever, configuration)
        or _built(corpus, retriever, configuration, configuration_name)
    )
    policy = ContextPackPolicy(
        join_with=join_with, include_metadata=include_metadata, metadata_fields=metadata_fields
    )

    def asked(limit: int, characters: int | None) -> ContextPack:
        budget = _biblicus("models").QueryBudget(
            max_total_items=limit,
            offset=request.offset,
            maximum_total_characters=characters,
            max_items_per_source=max_items_per_source,
        )
        found = retriever.query(corpus, snapshot=snapshot, query_text=request.query, budget=budget)
        return build_context_pack(found, policy=policy)

    return _within(request, asked, policy, token_counter)


def _within(
    request: ContextRetrieverRequest,
    asked: Callable[[int, int | None], ContextPack],
    policy: ContextPackPolicy,
    counted: TokenCounter | None,
) -> ContextPack:
    """What keeps within the request; where every piece is larger, the start of the best one."""
    characters, most = request.maximum_total_characters, request.max_tokens
    guess = most * _CHARACTERS_PER_TOKEN if characters is None and most is not None else characters
    pack = asked(request.limit, guess)
    if guess is not None and not pack.blocks:
        pack = _with_characters(asked(1, None), characters)
    if most is None:
        return pack
    fitted = fit_context_pack_to_token_budget(
        pack,
        policy=policy,
        token_budget=TokenBudget(max_tokens=most),
        token_counter=counted,
    )
    if fitted.blocks:
        return fitted
    return start_of_best(pack, most, (counted or TokenCounter()).counter)


def _with_characters(pack: ContextPack, most: int | None) -> ContextPack:
    """The pack with no block longer than the characters that were allowed."""
    if most is None:
        return pack
    blocks = [
        block.model_copy(
            update={"text": within_characters(block.text, most, block.source or "the same source")}
        )
        for block in pack.blocks
    ]
    return pack.model_copy(
        update={"text": "".join(block.text for block in blocks), "blocks": blocks}
    )


def _biblicus(module: str) -> Any:
    try:
        return import_module(f"biblicus.{module}")
    except ImportError as error:
        raise MissingExtraError("biblicus", "biblicus") from error


def _retriever(retriever_id: str) -> Any:
    known = _biblicus("retrievers").available_retrievers()
    if retriever_id not in known:
        raise UnknownNameError("Retriever", retriever_id, known)
    return known[retriever_id]()


def _named(snapshot_id: str, corpus: BiblicusCorpus, retriever: Any) -> _Snapshot:
    snapshot = corpus.load_snapshot(snapshot_id)
    owner, asked = snapshot.configuration.retriever_id, retriever.retriever_id
    if owner != asked:
        raise InputError(
            f"snapshot '{snapshot_id}' is of retriever '{owner}', not of '{asked}'",
            fix=f"Ask with retriever_id='{owner}', or name a snapshot of '{asked}'.",
        )
    return snapshot


def _latest(
    corpus: BiblicusCorpus, retriever: Any, configuration: Mapping[str, Any] | None
) -> _Snapshot | None:
    wanted = None if configuration is None else _wanted(retriever, configuration)
    snapshots = _latest_first(corpus, retriever.retriever_id)
    return next((found for found in snapshots if _suits(found, retriever, wanted)), None)


def _latest_first(corpus: BiblicusCorpus, retriever_id: str) -> Iterator[_Snapshot]:
    """The corpus' latest snapshot, then the others of one retriever that know all its items."""
    catalog = corpus.load_catalog()
    if catalog.latest_snapshot_id:
        yield corpus.load_snapshot(catalog.latest_snapshot_id)
    manifests = (corpus.snapshots_dir / retriever_id).glob("*/manifest.json")
    snapshots = [corpus.load_snapshot(path.parent.name) for path in manifests]
    yield from sorted(
        (found for found in snapshots if found.catalog_generated_at == catalog.generated_at),
        key=lambda snapshot: snapshot.created_at,
        reverse=True,
    )


def _suits(snapshot: _Snapshot, retriever: Any, wanted: dict[str, Any] | None) -> bool:
    kept = snapshot.configuration
    if kept.retriever_id != retriever.retriever_id:
        return False
    try:
        return wanted is None or wanted == _with_defaults(retriever, kept.configuration)
    except ValidationError:
        # Another release of Biblicus had other settings.
        return False


def _wanted(retriever: Any, configuration: Mapping[str, Any]) -> dict[str, Any] | None:
    """The settings a snapshot has to have; None where any will do."""
    try:
        return _with_defaults(retriever, configuration)
    except ValidationError as error:
        if not configuration:
            # Tactus sends an empty configuration where its author wrote none.
            return None
        first = error.errors(include_url=False)[0]
        raise PlanError(
            f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}",
            place=f"configuration of retriever '{retriever.retriever_id}'",
            found=first["input"],
        ) from None


def _with_defaults(retriever: Any, configuration: Mapping[str, Any]) -> dict[str, Any]:
    settings = _index_settings(configuration)
    name = _CONFIGURATION_MODELS.get(retriever.retriever_id)
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


def _built(
    corpus: BiblicusCorpus,
    retriever: Any,
    configuration: Mapping[str, Any] | None,
    configuration_name: str | None,
) -> _Snapshot:
    if configuration is None:
        raise InputError(
            "No retrieval snapshot available for the requested retriever",
            fix="Provide snapshot_id or configuration to build one.",
        )
    snapshot: _Snapshot = retriever.build_snapshot(
        corpus,
        configuration_name=configuration_name or f"Context pack ({retriever.retriever_id})",
        configuration=_index_settings(configuration),
    )
    return snapshot
