"""Large tables may be divided by collection: everything is as in one table, and a partition shows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from benchmarks.attacks.same_answers import differences
from biblicus_context import InputError
from biblicus_context.stores import Principal
from biblicus_context.stores.postgres import open_store
from biblicus_context.stores.postgres.schema.migrations import script
from biblicus_context.stores.sqlite import open_store as open_folder
from biblicus_context.testing.store_samples import entry, put, seen
from tests.stores.postgres import drop, new_schema, server, url

TENANTS = [Principal(f"t{n}", sees_all=True) for n in range(12)]


@pytest.fixture
def schema() -> Iterator[str]:
    name = new_schema()
    yield name
    drop(name)


def test_answers_are_those_of_a_folder(schema: str, tmp_path: Path):
    """Of random corpora, principals, filters, versions and queries."""
    with (
        open_store(url(schema, partitions=4), keep_seconds=3600) as ours,
        open_folder(tmp_path / "folder", keep_seconds=3600) as reference,
    ):
        assert [*differences((reference, ours), 7, 20)] == []
        ours.vacuum()
        assert ours.check() == ()


def test_tenants_are_spread_and_a_partition_shows_nothing_by_itself(schema: str):
    """Also to the role that reads and writes, whatever its settings are."""
    with open_store(url(schema, partitions=4)) as store:
        for each in TENANTS:
            store.write(each, put(entry("a", f"A lamp of {each.workspace}.")))
        assert all(seen(store, each).fingerprints().keys() == {"a"} for each in TENANTS)
        assert store.clear(TENANTS[0]) == 2
        assert seen(store, TENANTS[0]).fingerprints() == {}
    with psycopg.connect(server().url) as connection:
        counts = [
            connection.execute(f'SELECT count(*) FROM "{schema}".document_{n}'.encode()).fetchone()
            for n in range(4)
        ]
        assert sum(count for (count,) in filter(None, counts)) == len(TENANTS) - 1
        assert max(count for (count,) in filter(None, counts)) < len(TENANTS) - 1
        connection.execute(b"SET ROLE biblicus_context_app")
        connection.execute(b"SELECT set_config('biblicus_context.sees_all', 'on', true)")
        for table in ("document", "block", "vector", "usage"):
            for n in range(4):
                asked = f'SELECT count(*) FROM "{schema}".{table}_{n}'.encode()
                assert connection.execute(asked).fetchone() == (0,)


def test_a_store_that_was_made_keeps_its_tables(schema: str):
    """The number counts when they are made, and only then."""
    with open_store(url(schema)) as store:
        store.write(TENANTS[0], put(entry("a", "A lamp.")))
    with open_store(url(schema, partitions=8)) as store:
        assert seen(store, TENANTS[0]).fingerprints().keys() == {"a"}


def test_the_script_for_administrators_has_the_partitions():
    assert "PARTITION" not in script("s", "r")
    assert script("s", "r", 4).count("PARTITION BY HASH (ws)") == 9
    with pytest.raises(InputError, match=r"`partitions` is a number from 1"):
        open_store("postgresql://db/x?partitions=0")
