"""A backup by the tools of the server is a store: what it shows, and that it goes on."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from biblicus_context.stores import StoreError
from biblicus_context.stores.postgres import open_store
from biblicus_context.testing.store_samples import ANN, INDEXER, entry, ids, put, search_text
from tests.stores.postgres import new_schema, postgres_store, server, url


def test_a_dump_that_is_restored_answers_the_same_and_takes_writes(tmp_path: Path):
    """`pg_dump` and `pg_restore`, into another database."""
    with postgres_store() as store:
        store.write(
            INDEXER,
            put(*(entry(f"d{n}", f"tea {n} " * 5, vectors=[[1, n]]) for n in range(20))),
        )
        store.write(INDEXER, put(entry("d1", "new tea")))
        before = search_text(store, ANN, ["tea"])
        schema = store.source.server.options.schema
        server().program("pg_dump", "-Fc", "-n", schema, "-f", str(tmp_path / "dump"), "postgres")
        name = f"restored_{schema}"
        with psycopg.connect(server().url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            server().program("pg_restore", "-d", name, str(tmp_path / "dump"))
            place = url(schema).replace("/postgres?", f"/{name}?")
            with open_store(place, create=False) as restored:
                assert search_text(restored, ANN, ["tea"]) == before
                assert restored.check() == ()
                assert restored.write(INDEXER, put(entry("later", "later tea"))) == 3
                assert "later#0" in ids(search_text(restored, ANN, ["later"]))
        finally:
            with psycopg.connect(server().url, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_without_tables_a_store_that_may_not_make_them_is_refused():
    """And nothing is made."""
    schema = new_schema()
    with pytest.raises(StoreError, match="no store in the schema"):
        open_store(url(schema), create=False)
    with psycopg.connect(server().url) as connection:
        found = connection.execute(
            "SELECT 1 FROM pg_namespace WHERE nspname = %s", (schema,)
        ).fetchall()
    assert found == []


def test_tables_of_a_newer_release_are_refused():
    """This release does not know what they mean."""
    with postgres_store() as store:
        schema = store.source.server.options.schema
        with psycopg.connect(server().url) as connection:
            connection.execute(f'INSERT INTO "{schema}".migration (number) VALUES (99)'.encode())
        with pytest.raises(StoreError, match="newer release"):
            open_store(url(schema))


def test_a_user_that_may_not_make_tables_reads_and_writes_with_the_role_alone():
    """Migrations are made by the owner; a service logs in as somebody who owns nothing."""
    with postgres_store() as store:
        store.write(INDEXER, put(entry("a", "tea")))
        options = store.source.server.options
        login = f"login_{options.schema}"
        with psycopg.connect(server().url, autocommit=True) as connection:
            connection.execute(
                f'CREATE ROLE {login} LOGIN; GRANT "{options.role}" TO {login}'.encode()
            )
        try:
            with open_store(url(options.schema).replace("postgres@", f"{login}@")) as service:
                assert ids(search_text(service, ANN, ["tea"])) == ["a#0"]
                assert service.write(INDEXER, put(entry("b", "more tea"))) == 2
            with pytest.raises(StoreError, match="42501"):
                open_store(url(new_schema()).replace("postgres@", f"{login}@"))
        finally:
            with psycopg.connect(server().url, autocommit=True) as connection:
                connection.execute(f"DROP ROLE {login}".encode())
