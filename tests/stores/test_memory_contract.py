"""A store that knows nothing of SQLite keeps the contract as well: so the contract is no habit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from biblicus_context.stores import Store
from tests.stores.contract import StoreContract
from tests.stores.contract_isolation import MakeStore
from tests.stores.memory import MemoryStore


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
