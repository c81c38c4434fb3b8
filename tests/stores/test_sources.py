"""Both sources that ship keep the contract of sources."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from tempfile import TemporaryDirectory

import pytest

from biblicus_context.stores.source import Source
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.memory_store import MemorySource
from biblicus_context.testing.remote_source import CountedTrips
from biblicus_context.testing.source_contract import MakeSource, SourceContract


class TestSqliteSource(SourceContract):
    @pytest.fixture
    def make_source(self) -> MakeSource:
        @contextmanager
        def make() -> Iterator[Source]:
            with TemporaryDirectory() as folder, open_store(folder, keep_seconds=3600) as store:
                yield store.source

        return make


class TestRemoteSource(SourceContract):
    """What is used as a source on another machine keeps it too: its transactions begin later."""

    @pytest.fixture
    def make_source(self) -> MakeSource:
        @contextmanager
        def make() -> Iterator[Source]:
            with closing(CountedTrips(MemorySource())) as source:
                yield source

        return make


class TestMemorySource(SourceContract):
    @pytest.fixture
    def make_source(self) -> MakeSource:
        @contextmanager
        def make() -> Iterator[Source]:
            with closing(MemorySource()) as source:
                yield source

        return make
