"""The store in Postgres keeps the contract of every store, and its source that of every source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from biblicus_context.stores import Store
from biblicus_context.stores.source import Source
from biblicus_context.testing.source_contract import MakeSource, SourceContract
from biblicus_context.testing.store_contract import StoreContract
from biblicus_context.testing.store_contract.isolation import MakeStore
from tests.stores.postgres import fresh_store


class TestPostgres(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        with fresh_store() as store:
            yield store

    @pytest.fixture
    def make_store(self) -> MakeStore:
        return fresh_store

    @pytest.mark.nightly  # a thousand transactions, one after another
    def test_the_oldest_activity_of_a_user_makes_way(self, store: Store) -> None:
        super().test_the_oldest_activity_of_a_user_makes_way(store)


class TestPostgresSource(SourceContract):
    @pytest.fixture
    def make_source(self) -> MakeSource:
        @contextmanager
        def make() -> Iterator[Source]:
            with fresh_store() as store:
                yield store.source

        return make
