"""What is used of the `biblicus` package: its types, and what is imported when it is needed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from biblicus_context.errors import MissingExtraError, UnknownNameError


class SnapshotConfiguration(Protocol):
    """The retriever and the settings that built a snapshot."""

    @property
    def retriever_id(self) -> str: ...
    @property
    def configuration(self) -> dict[str, Any]: ...


class BiblicusSnapshot(Protocol):
    """An index of a corpus as it was at one time."""

    @property
    def snapshot_id(self) -> str: ...
    @property
    def configuration(self) -> SnapshotConfiguration: ...
    @property
    def catalog_generated_at(self) -> str: ...
    @property
    def created_at(self) -> str: ...


class CorpusCatalog(Protocol):
    """The current items of a corpus."""

    @property
    def latest_snapshot_id(self) -> str | None: ...
    @property
    def generated_at(self) -> str: ...


class BiblicusCorpus(Protocol):
    """A Biblicus corpus."""

    @property
    def snapshots_dir(self) -> Path: ...
    def load_snapshot(self, snapshot_id: str) -> BiblicusSnapshot: ...
    def load_catalog(self) -> CorpusCatalog: ...


class BiblicusRetriever(Protocol):
    """Builds snapshots, and queries them."""

    @property
    def retriever_id(self) -> str: ...
    def build_snapshot(
        self, corpus: BiblicusCorpus, *, configuration_name: str, configuration: dict[str, Any]
    ) -> BiblicusSnapshot: ...
    def query(
        self, corpus: BiblicusCorpus, *, snapshot: BiblicusSnapshot, query_text: str, budget: object
    ) -> object: ...


def retriever_named(retriever_id: str) -> BiblicusRetriever:
    """The retriever of this name."""
    known = _module("retrievers").available_retrievers()
    if retriever_id not in known:
        raise UnknownNameError("Retriever", retriever_id, known)
    made: BiblicusRetriever = known[retriever_id]()
    return made


def query_budget(**limits: int | None) -> object:
    """The limits of an answer, as a retriever of Biblicus takes them."""
    made: object = _module("models").QueryBudget(**limits)
    return made


def _module(name: str) -> Any:
    try:
        return import_module(f"biblicus.{name}")
    except ImportError as error:
        raise MissingExtraError("biblicus", "biblicus") from error
