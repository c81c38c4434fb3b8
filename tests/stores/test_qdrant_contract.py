"""The store on a Qdrant server keeps the contract of every store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest

from biblicus_context.stores import Store
from biblicus_context.stores.qdrant import open_qdrant
from biblicus_context.testing.store_contract import StoreContract
from biblicus_context.testing.store_contract.isolation import MakeStore
from tests.qdrant_fixture import QdrantServer, running_qdrant


@pytest.fixture(scope="module")
def qdrant() -> Iterator[QdrantServer]:
    with running_qdrant() as server:
        yield server


@pytest.mark.nightly  # minutes: the gate has the contract of sources, and the differential test
class TestQdrant(StoreContract):
    @pytest.fixture
    def store(self, qdrant: QdrantServer) -> Iterator[Store]:
        with open_qdrant(qdrant.url, namespace=uuid4().hex, keep_seconds=3600) as store:
            yield store

    @pytest.fixture
    def make_store(self, qdrant: QdrantServer) -> MakeStore:
        @contextmanager
        def make() -> Iterator[Store]:
            with open_qdrant(qdrant.url, namespace=uuid4().hex, keep_seconds=3600) as store:
                yield store

        return make
