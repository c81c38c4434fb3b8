"""What is read of a Biblicus corpus, its snapshots and its retrievers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol


class Configuration(Protocol):
    """What a snapshot was built by."""

    @property
    def retriever_id(self) -> str: ...
    @property
    def configuration(self) -> dict[str, Any]: ...


class Snapshot(Protocol):
    """An index of a corpus as it was at one time."""

    @property
    def snapshot_id(self) -> str: ...
    @property
    def configuration(self) -> Configuration: ...
    @property
    def catalog_generated_at(self) -> str: ...
    @property
    def created_at(self) -> str: ...


class Catalog(Protocol):
    """The items that a corpus has now."""

    @property
    def latest_snapshot_id(self) -> str | None: ...
    @property
    def generated_at(self) -> str: ...


class BiblicusCorpus(Protocol):
    """What is read of a Biblicus corpus."""

    @property
    def snapshots_dir(self) -> Path: ...
    def load_snapshot(self, snapshot_id: str) -> Snapshot: ...
    def load_catalog(self) -> Catalog: ...


class Retriever(Protocol):
    """What builds snapshots and asks them."""

    @property
    def retriever_id(self) -> str: ...
    def build_snapshot(
        self, corpus: BiblicusCorpus, *, configuration_name: str, configuration: dict[str, Any]
    ) -> Snapshot: ...
    def query(
        self, corpus: BiblicusCorpus, *, snapshot: Snapshot, query_text: str, budget: object
    ) -> object: ...
