"""A pooler that lends connections for one transaction each: nothing of one client is met by another."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from biblicus_context.stores import Principal, Readers, SearchRequest, Store, StoreError
from biblicus_context.stores.postgres import open_store
from biblicus_context.testing.store_samples import entry, put, seen
from tests.stores.postgres import drop, new_schema, server
from tests.stores.transaction_pooler import TransactionPooler

ROUNDS = 8
WHO = Principal("t", sees_all=True)


@pytest.fixture
def pooler() -> Iterator[TransactionPooler]:
    with (
        tempfile.TemporaryDirectory(prefix="px") as folder,
        TransactionPooler(Path(folder), server().folder, connections=2) as pooler,
    ):
        yield pooler


def at(pooler: TransactionPooler, schema: str, more: str = "") -> str:
    return f"postgresql://postgres@/postgres?host={pooler.folder}&schema={schema}{more}"


def test_writers_and_readers_of_many_tenants_share_two_connections(pooler: TransactionPooler):
    """Each finds its own, whatever the client before it has set on the same connection."""
    schema = new_schema()
    try:
        with open_store(at(pooler, schema, "&prepares=off&pool=6")) as store:

            def work(tenant: str) -> None:
                indexer = Principal(tenant, sees_all=True)
                for number in range(ROUNDS):
                    own = Readers(users=frozenset({"ann"})) if number % 2 else Readers()
                    store.write(indexer, put(entry(f"{tenant}{number}", "A lamp.", readers=own)))
                    public = {f"{tenant}{n}" for n in range(0, number + 1, 2)}
                    assert {*seen(store, Principal(tenant, user="bob")).fingerprints()} == public
                    with store.view(Principal(tenant, user="bob")) as view:
                        found = view.search(SearchRequest(terms=("lamp",)))
                        assert len(found.by_text) == len(public)

            with ThreadPoolExecutor(6) as threads:
                for done in [threads.submit(work, f"t{n}-") for n in range(6)]:
                    done.result(120)
            assert pooler.lent > 6 * ROUNDS
            assert store.check() == ()
    finally:
        drop(schema)


def test_without_the_switch_the_error_names_it(pooler: TransactionPooler):
    """A statement that one connection has prepared is unknown to the other one, whose turn is next."""
    schema = new_schema()

    def use(store: Store) -> None:
        for number in range(20):
            store.write(WHO, put(entry(f"a{number}", "A lamp.")))
            seen(store, WHO).fingerprints()

    try:
        with open_store(at(pooler, schema, "&prepares=off")) as store:
            use(store)
        with (
            open_store(at(pooler, schema)) as store,
            pytest.raises(StoreError, match="Add prepares=off to the URL"),
        ):
            use(store)
    finally:
        drop(schema)
