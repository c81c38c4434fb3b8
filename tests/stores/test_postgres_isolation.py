"""Row-level security: what a forgotten condition would read, and what errors and settings leave behind.

The tests are made from the catalogue of the database: a table without a policy fails them.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from biblicus_context.errors import InputError
from biblicus_context.stores import Batch, Block, Document, Entry, Principal, StoreError
from biblicus_context.stores.postgres.source import PostgresSource
from biblicus_context.stores.postgres.store import PostgresStore
from biblicus_context.stores.postgres.visibility import settings
from biblicus_context.stores.source import Scope
from biblicus_context.stores.sql import Sql
from biblicus_context.testing.store_samples import (
    ANN,
    BOB,
    INDEXER,
    ONLY_BOB,
    STRANGER,
    day,
    entry,
    put,
    relate,
)
from tests.stores.postgres import postgres_store, server

SECRET = "a secret of bob"
KINDS = {"r", "p", "v", "m", "f"}


@pytest.fixture(scope="module")
def store() -> Iterator[PostgresStore]:
    """Two tenants with rows in every table; in one of them a document that only Bob may read."""
    with postgres_store(keep_seconds=0) as store:
        for who in (INDEXER, STRANGER):
            store.write(who, put(entry("a", "one", vectors=[[1, 0]], conversation="talk")))
            store.write(
                who, put(entry("b", SECRET, title=SECRET, readers=ONLY_BOB, vectors=[[0, 1]]))
            )
            store.write(who, relate(("a", "cites", "b"), ("a", "cites", "a")))
            store.write(who, put(entry("gone", "gone " * 40_000)))  # enough words to be sorted
            store.vacuum()
            store.write(who, Batch(remove=("gone",)))
            store.record_usage(who, used=["a#0"], when=day(1))
            store.record_activity(who, "a", "view", day(1))
            store.vacuum()
            store.write(who, put(entry("c", "later")))
        yield store


def read(store: PostgresStore, scope: Scope | None, statement: str) -> list[tuple[object, ...]]:
    """What a statement without any condition reads, with the settings of a reader."""
    source = store.source
    assert isinstance(source, PostgresSource)
    (found,) = source.server.read(settings(source.server.options, scope), Sql(statement))
    return found


def tables(store: PostgresStore) -> list[str]:
    with psycopg.connect(server().url) as connection:
        found = connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = %s AND c.relkind = ANY (%s) ORDER BY 1",
            (schema(store), [*KINDS]),
        ).fetchall()
    return [name for (name,) in found if name != "migration"]


def schema(store: PostgresStore) -> str:
    assert isinstance(store.source, PostgresSource)
    return store.source.server.options.schema


def test_every_table_has_policies_that_hold_for_its_owner_too(store: PostgresStore):
    """A new table without one fails here."""
    with psycopg.connect(server().url) as connection:
        found = connection.execute(
            "SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity, (SELECT count(*) FROM pg_policy p"
            " WHERE p.polrelid = c.oid AND p.polname = 'tenant' AND p.polcmd = '*') FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relkind = ANY (%s)",
            (schema(store), [*KINDS]),
        ).fetchall()
    assert {name for name, *_ in found} == {*tables(store), "migration"}
    assert [row for row in found if row[0] != "migration" and row[1:] != (True, 1)] == []
    assert len(found) > 10


def test_a_statement_without_a_condition_reads_its_own_collection_alone(store: PostgresStore):
    """In every table there is something of another tenant, and nothing of it is read."""
    for table in tables(store):
        with psycopg.connect(server().url) as connection:
            spaces = connection.execute(
                f'SELECT count(DISTINCT ws) FROM "{schema(store)}"."{table}"'.encode()
            ).fetchone()
        assert spaces == (2,), table
        own = read(store, Scope(INDEXER), f"SELECT DISTINCT ws FROM {table}")
        other = read(store, Scope(STRANGER), f"SELECT DISTINCT ws FROM {table}")
        assert len(own) == len(other) == 1, table
        assert own != other


def test_without_settings_nothing_is_read(store: PostgresStore):
    """Neither before the first transaction nor where a setting has ended: it is '' then, and not NULL."""
    nobody = Scope(Principal("of nobody", sees_all=True))
    for table in tables(store):
        assert read(store, nobody, f"SELECT 1 FROM {table}") == []
    with psycopg.connect(server().url, autocommit=True) as connection:
        connection.execute(f'SET ROLE "{store.source.server.options.role}"'.encode())
        for _ in range(2):
            for table in tables(store):
                found = connection.execute(
                    f'SELECT 1 FROM "{schema(store)}"."{table}"'.encode()
                ).fetchall()
                assert found == [], table
            with connection.transaction():
                connection.execute("SELECT set_config('biblicus_context.space', 'ab', true)")
                connection.execute("SELECT set_config('biblicus_context.groups', '{hr}', true)")


def test_documents_of_others_are_hidden_by_the_policies_as_well(store: PostgresStore):
    """With their blocks, and the relations that lead to them."""
    for statement, seen in {
        "SELECT id FROM document": ["a", "c"],
        "SELECT text FROM block": ["later", "one"],
        "SELECT target FROM relation": ["a"],
    }.items():
        ann = sorted(str(each) for (each,) in read(store, Scope(ANN), statement))
        bob = {str(each) for (each,) in read(store, Scope(BOB), statement)}
        assert ann == seen
        assert bob > {*ann}
    assert read(store, Scope(BOB), "SELECT 1 FROM activity") == []


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO version (ws, number, written) SELECT ws + {0}, 99, 0 FROM space",
        "UPDATE document SET ws = ws + {0}",
        "INSERT INTO space (key, workspace, collection) VALUES ('\\x00', 'x', '')",
        "DELETE FROM space",
        "INSERT INTO migration (number) VALUES (99)",
        "CREATE TABLE mine (x int)",
        "ALTER TABLE document DISABLE ROW LEVEL SECURITY",
        "SET ROLE postgres",
    ],
)
def test_what_the_role_may_not_do_is_refused(store: PostgresStore, statement: str):
    """It owns nothing, and writes to no other collection."""
    own, other = (
        read(store, Scope(who), "SELECT ws FROM space")[0][0] for who in (INDEXER, STRANGER)
    )
    source = store.source
    assert isinstance(source, PostgresSource)
    change = Sql(statement.format(int(str(other)) - int(str(own))))
    before = [
        read(store, Scope(who), "SELECT count(*) FROM document") for who in (INDEXER, STRANGER)
    ]
    if statement == "SET ROLE postgres":
        # Of a session that logs in as another user it is refused; here the tests are the superuser.
        with psycopg.connect(server().url) as connection:
            (members,) = connection.execute(
                "SELECT count(*) FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.member"
                " WHERE r.rolname = %s",
                (source.server.options.role,),
            ).fetchone() or (None,)
        assert members == 0
        return
    with pytest.raises(StoreError):
        source.server.write(
            settings(source.server.options, Scope(INDEXER), sees_all=True),
            lambda transaction: transaction.ask(change, commit=True),
        )
    assert before == [
        read(store, Scope(who), "SELECT count(*) FROM document") for who in (INDEXER, STRANGER)
    ]


def test_the_role_owns_nothing_and_cannot_log_in(store: PostgresStore):
    """Migrations are made by another one."""
    role = store.source.server.options.role
    with psycopg.connect(server().url) as connection:
        flags = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolcreatedb,"
            " (SELECT count(*) FROM pg_class c WHERE c.relowner = r.oid),"
            " (SELECT count(*) FROM pg_proc p WHERE p.proowner = r.oid) FROM pg_roles r WHERE rolname = %s",
            (role,),
        ).fetchone()
    assert flags == (False, False, False, False, False, 0, 0)


def test_settings_end_with_the_transaction(store: PostgresStore):
    """A pooler gives the connection to others."""
    source = store.source
    assert isinstance(source, PostgresSource)
    with postgres_store(pool=1) as single:
        single.write(INDEXER, put(entry("a", "x")))
        with single.view(ANN) as view:
            assert view.documents(["a"])
        pool = single.source.server._pool()  # type: ignore[attr-defined]
        with pool.connection() as connection:
            left = connection.execute(
                "SELECT current_user = session_user, coalesce(current_setting('biblicus_context.space', true), ''),"
                " coalesce(current_setting('biblicus_context.user', true), ''), current_setting('search_path'),"
                " current_setting('lock_timeout')"
            ).fetchone()
    assert left == (True, "", "", '"$user", public', "0")


def test_texts_of_the_server_are_in_no_error(store: PostgresStore):
    """Neither in the message nor in an error that it carries: they may have values of rows."""
    with pytest.raises(StoreError) as raised:
        read(store, Scope(BOB), "SELECT title::int FROM document WHERE title <> ''")
    told: BaseException | None = raised.value
    while told is not None:
        assert SECRET not in str(told) + repr(told)
        assert "22P02" in str(told)
        told = told.__cause__ or told.__context__


def test_a_conflict_with_what_is_hidden_names_no_more_than_the_id_that_was_given(
    store: PostgresStore,
):
    """The writer learns that the id may not be used, as of every store; no constraint of the database speaks."""
    taken = Block(id="b#0", document_id="mine", position=0, text="mine", tokens=1)
    for own in (entry("b", "mine"), Entry(Document(id="mine"), (taken,))):
        with pytest.raises(InputError) as raised:
            store.write(ANN, put(own))
        assert SECRET not in str(raised.value)
        assert "document_now" not in str(raised.value)
