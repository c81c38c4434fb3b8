"""The embedded store keeps the contract of every store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from biblicus_context.stores import Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_contract import StoreContract
from biblicus_context.testing.store_contract.isolation import MakeStore


class TestSqlite(StoreContract):
    # Below, where it is harder to keep.
    test_results_of_a_reader_do_not_depend_on_hidden_documents = None  # type: ignore[assignment]

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with open_store(tmp_path / "store", keep_seconds=3600) as store:
            yield store

    @pytest.fixture
    def make_store(self) -> MakeStore:
        @contextmanager
        def make() -> Iterator[Store]:
            with TemporaryDirectory() as folder, open_store(folder, keep_seconds=3600) as store:
                yield store

        return make


class TestSqliteThatKeepsNothing:
    """What is removed ends versions for those who saw it, and for nobody else."""

    @pytest.fixture
    def make_store(self) -> MakeStore:
        @contextmanager
        def make() -> Iterator[Store]:
            with TemporaryDirectory() as folder, open_store(folder) as store:
                yield store

        return make

    test_results_of_a_reader_do_not_depend_on_hidden_documents = (
        StoreContract.test_results_of_a_reader_do_not_depend_on_hidden_documents
    )
