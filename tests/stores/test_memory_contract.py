"""A store that knows nothing of SQLite keeps the contract as well: so the contract is no habit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from biblicus_context.stores import Store
from biblicus_context.testing.memory_store import MemoryStore
from biblicus_context.testing.store_contract import StoreContract
from biblicus_context.testing.store_contract.isolation import MakeStore


class TestMemory(StoreContract):
    @pytest.fixture
    def store(self) -> Store:
        return MemoryStore()

    @pytest.fixture
    def make_store(self) -> MakeStore:
        @contextmanager
        def make() -> Iterator[Store]:
            yield MemoryStore()

        return make
