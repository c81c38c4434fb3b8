"""Brings the tables of a store to this release; run by the role that owns them, never by the one that reads."""

from __future__ import annotations

from typing import Final

from biblicus_context.stores.errors import NoStoreError, StoreError
from biblicus_context.stores.postgres.driver import PostgresServer
from biblicus_context.stores.postgres.schema.tables import STEPS, VERSION, partitioned
from biblicus_context.stores.sql import Sql

_PARTITIONS_SINCE: Final = 170_000
"""Since then a table of partitions may number its rows."""
_BEGIN: Final = """
BEGIN;
SELECT pg_advisory_xact_lock(hashtext('biblicus_context'));
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
        CREATE ROLE "{role}" NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT pg_has_role(current_user, '{role}', 'MEMBER') THEN
        EXECUTE format('GRANT "{role}" TO %I', current_user);
    END IF;
END $$;
CREATE SCHEMA IF NOT EXISTS "{schema}";
SET LOCAL search_path = "{schema}", pg_catalog, pg_temp;
CREATE TABLE IF NOT EXISTS migration (number integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now());
"""
_STEP: Final = """
DO $migration$ BEGIN
    IF NOT EXISTS (SELECT FROM migration WHERE number = {number}) THEN
        EXECUTE $step${step}$step$;
        INSERT INTO migration (number) VALUES ({number});
    END IF;
END $migration$;
"""
_END: Final = """
REVOKE ALL ON SCHEMA "{schema}" FROM PUBLIC;
GRANT USAGE ON SCHEMA "{schema}" TO "{role}";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "{schema}" TO "{role}";
REVOKE DELETE ON space FROM "{role}";
REVOKE INSERT, UPDATE, DELETE ON migration FROM "{role}";
COMMIT;
"""


def script(schema: str, role: str, partitions: int = 1) -> str:
    """All that brings tables of any version to this one: an administrator may run it by hand."""
    first, *later = STEPS
    divided = first if partitions == 1 else partitioned(first, partitions)
    steps = (_STEP.format(number=n, step=step) for n, step in enumerate([divided, *later], start=1))
    begin, end = (each.format(schema=schema, role=role) for each in (_BEGIN, _END))
    return "".join([begin, *steps, end])


def require_tables(server: PostgresServer, settings: Sql, *, create: bool) -> None:
    """Make or bring forward the tables, if this may be done; else refuse to use them."""
    version = _version(server, settings)
    if version == VERSION:
        return
    options = server.options
    if version > VERSION:
        problem = "the tables were made by a newer release"
        raise StoreError(problem, place=options.name, fix="Upgrade this package.")
    if not create and not version:
        problem = f"there is no store in the schema '{options.schema}'"
        raise NoStoreError(problem, place=options.name, fix="Open it with create=True.")
    if options.partitions > 1 and not version:
        _require_partitions(server)
    server.run(script(options.schema, options.role, options.partitions))


def _require_partitions(server: PostgresServer) -> None:
    asked = Sql("SELECT current_setting('server_version_num')::integer")
    ((number,),) = server.read(Sql("SELECT 1"), asked)[0]
    if number < _PARTITIONS_SINCE:
        problem = f"`partitions` needs Postgres 17, and this is {number // 10_000}"
        raise StoreError(problem, place=server.options.name, fix="Leave it out.")


def _version(server: PostgresServer, settings: Sql) -> int:
    """Of the tables; 0 if there are none."""
    known = Sql("SELECT to_regclass(%s)::text", (f"{server.options.schema}.migration",))
    ((there,),) = server.read(Sql("SELECT 1"), known)[0]
    if there is None:
        return 0
    found = server.read(settings, Sql("SELECT max(number) FROM migration"))
    return int(found[0][0][0] or 0)
