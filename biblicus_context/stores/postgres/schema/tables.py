"""The tables of a store, as steps from each version of the tables to the next.

Released steps never change: databases of every older version exist. Each step runs as the owner, in the
schema of the store, which is the first in its search path.
"""

from __future__ import annotations

from typing import Final

# Versions: a row of `document` is never changed except for `removed` (and `accessed`, which is not part
# of a version). A version shows the rows with added <= version < removed, so a read needs no
# transaction of its own: what it was pinned to is still there.
# Rows of documents and blocks rise and are never given out twice, also after everything was forgotten.
# Every table begins with `ws`, the number of a collection of a workspace, and so does every index.
# A name is found by its digest (`..._key`): an entry of a B-tree takes 2,704 bytes, and a name has up to
# 4,000. `id_start` sorts: what is equal in it is sorted by `id` itself.
# `metadata` is returned as it was written; `facts` is the same to be compared, None if it is empty.
_FIRST: Final = """
CREATE TABLE space (
    ws integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key bytea NOT NULL UNIQUE,
    workspace text NOT NULL,
    collection text NOT NULL,
    identity uuid NOT NULL DEFAULT gen_random_uuid(),
    version bigint NOT NULL DEFAULT 0,
    oldest bigint NOT NULL DEFAULT 0,
    documents bigint NOT NULL DEFAULT 0,
    blocks bigint NOT NULL DEFAULT 0,
    repacked bigint NOT NULL DEFAULT 0,
    sorted bigint NOT NULL DEFAULT 0,
    remains bigint,
    source text,
    is_partial boolean NOT NULL DEFAULT false
);
CREATE TABLE version (
    ws integer NOT NULL, number bigint NOT NULL, written bigint NOT NULL, PRIMARY KEY (ws, number)
);
CREATE TABLE token (
    ws integer NOT NULL, token text COLLATE "C" NOT NULL, version bigint NOT NULL, removes boolean NOT NULL,
    PRIMARY KEY (ws, token)
);
CREATE INDEX token_by_version ON token (ws, version);
CREATE TABLE ended (
    ws integer NOT NULL, reader bytea NOT NULL, other bytea NOT NULL, version bigint NOT NULL,
    PRIMARY KEY (ws, reader, other)
);
CREATE TABLE document (
    ws integer NOT NULL,
    row bigint NOT NULL,
    added bigint NOT NULL,
    removed bigint NOT NULL DEFAULT 9223372036854775807,
    restricted boolean NOT NULL,
    users text[] COLLATE "C" NOT NULL,
    groups text[] COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    id_key bytea NOT NULL,
    id_start text COLLATE "C" GENERATED ALWAYS AS (substr(id, 1, 200)) STORED,
    kind text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    path text COLLATE "C",
    uri text COLLATE "C",
    text_hash text COLLATE "C" NOT NULL,
    created bigint,
    updated bigint,
    accessed bigint,
    confidence double precision,
    importance double precision,
    conversation text COLLATE "C",
    conversation_key bytea,
    parent text COLLATE "C",
    parent_key bytea,
    position bigint,
    superseded_by text COLLATE "C",
    superseded_key bytea,
    valid_from bigint,
    valid_to bigint,
    own_readers boolean,
    tags text[] COLLATE "C" NOT NULL,
    metadata text NOT NULL,
    facts jsonb,
    PRIMARY KEY (ws, row)
);
CREATE UNIQUE INDEX document_now ON document (ws, id_key) WHERE removed = 9223372036854775807;
CREATE INDEX document_by_key ON document (ws, id_key);
CREATE INDEX document_by_id ON document (ws, id_start, id_key);
CREATE INDEX document_by_time ON document (ws, (coalesce(updated, created)) DESC)
    WHERE coalesce(updated, created) IS NOT NULL;
CREATE INDEX document_by_conversation ON document (ws, conversation_key, (coalesce(updated, created)) DESC)
    WHERE conversation_key IS NOT NULL;
CREATE INDEX document_by_parent ON document (ws, parent_key, position) WHERE parent_key IS NOT NULL;
CREATE INDEX document_by_superseder ON document (ws, superseded_key) WHERE superseded_key IS NOT NULL;
CREATE INDEX document_removed ON document (ws, removed) WHERE removed <> 9223372036854775807;
CREATE INDEX document_with_an_end ON document (ws, row) WHERE valid_from IS NOT NULL OR valid_to IS NOT NULL;
CREATE INDEX document_restricted ON document (ws, added) WHERE restricted;
CREATE TABLE block (
    ws integer NOT NULL,
    row bigint NOT NULL,
    document bigint NOT NULL,
    position bigint NOT NULL,
    tokens bigint NOT NULL,
    words bigint NOT NULL,
    session text COLLATE "C",
    id text COLLATE "C" NOT NULL,
    id_key bytea NOT NULL,
    first_line bigint,
    last_line bigint,
    heading text[] NOT NULL,
    metadata text NOT NULL,
    facts jsonb,
    text text NOT NULL,
    indexed_text text,
    PRIMARY KEY (ws, row)
);
CREATE INDEX block_by_key ON block (ws, id_key);
CREATE INDEX block_by_document ON block (ws, document, position);
CREATE TABLE pack (
    ws integer NOT NULL,
    document bigint NOT NULL,
    block bigint NOT NULL,
    columns bytea NOT NULL,
    names text NOT NULL,
    messages text NOT NULL,
    PRIMARY KEY (ws, document)
);
CREATE TABLE recent (
    ws integer NOT NULL, last bigint NOT NULL, first bigint NOT NULL, words bigint NOT NULL, data bytea NOT NULL,
    PRIMARY KEY (ws, last)
);
ALTER TABLE recent ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE TABLE posting (
    ws integer NOT NULL,
    stem bytea NOT NULL,
    last bigint NOT NULL,
    first bigint NOT NULL,
    parts bytea NOT NULL,
    counts bytea NOT NULL,
    offsets bytea NOT NULL,
    PRIMARY KEY (ws, stem, last)
);
CREATE TABLE model (
    ws integer NOT NULL, number integer NOT NULL, name text COLLATE "C" NOT NULL, dimensions integer NOT NULL,
    PRIMARY KEY (ws, number)
);
CREATE TABLE vector (
    ws integer NOT NULL, model integer NOT NULL, row bigint NOT NULL, key bytea, data bytea NOT NULL,
    PRIMARY KEY (ws, model, row)
);
ALTER TABLE vector ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX vector_by_key ON vector (ws, model, key) WHERE key IS NOT NULL;
CREATE TABLE relation (
    ws integer NOT NULL,
    row bigint GENERATED ALWAYS AS IDENTITY,
    added bigint NOT NULL,
    removed bigint NOT NULL DEFAULT 9223372036854775807,
    source text COLLATE "C" NOT NULL,
    source_key bytea NOT NULL,
    target text COLLATE "C" NOT NULL,
    target_key bytea NOT NULL,
    type text COLLATE "C" NOT NULL,
    weight double precision NOT NULL,
    PRIMARY KEY (ws, row)
);
CREATE INDEX relation_out ON relation (ws, source_key, target_key);
CREATE INDEX relation_in ON relation (ws, target_key);
CREATE INDEX relation_removed ON relation (ws, removed) WHERE removed <> 9223372036854775807;
CREATE TABLE usage (
    ws integer NOT NULL,
    block bytea NOT NULL,
    used bigint NOT NULL DEFAULT 0,
    helpful bigint NOT NULL DEFAULT 0,
    unhelpful bigint NOT NULL DEFAULT 0,
    last_used bigint,
    PRIMARY KEY (ws, block)
);
CREATE TABLE activity (
    ws integer NOT NULL,
    who text COLLATE "C" NOT NULL,
    who_key bytea NOT NULL,
    document bytea NOT NULL,
    document_id text COLLATE "C" NOT NULL,
    action text NOT NULL,
    last bigint NOT NULL,
    times bigint NOT NULL,
    PRIMARY KEY (ws, who_key, document, action)
);
CREATE INDEX activity_by_time ON activity (ws, who_key, last DESC);
CREATE INDEX activity_by_document ON activity (ws, document);
"""

# Isolation, a second time: every statement names the collection and what may be read, and where one
# forgets it, these let nothing through. The settings end with the transaction; one that has ended is
# '' and not NULL. `(SELECT ...)` makes Postgres evaluate them once for each statement, not for each row.
_POLICIES: Final = """
CREATE FUNCTION setting(name text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN nullif(current_setting('biblicus_context.' || name, true), '');
CREATE FUNCTION current_key() RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE
    RETURN decode(setting('space'), 'hex');
CREATE FUNCTION is_maintenance() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(setting('maintenance') = 'on', false);
ALTER TABLE space ENABLE ROW LEVEL SECURITY;
ALTER TABLE space FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON space USING (key = (SELECT current_key()) OR (SELECT is_maintenance()))
    WITH CHECK (key = (SELECT current_key()));
CREATE FUNCTION current_ws() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (SELECT ws FROM space WHERE key = current_key());
CREATE FUNCTION sees_all() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(setting('sees_all') = 'on', false);
CREATE FUNCTION current_who() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE RETURN setting('user');
CREATE FUNCTION current_teams() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(setting('groups')::text[], '{}'::text[]);
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['version', 'token', 'ended', 'document', 'block', 'pack', 'recent', 'posting',
        'model', 'vector', 'relation', 'usage', 'activity']
    LOOP
        EXECUTE format('ALTER TABLE %1$I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %1$I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY tenant ON %1$I USING (ws = (SELECT current_ws()))'
            ' WITH CHECK (ws = (SELECT current_ws()))', name);
    END LOOP;
END $$;
CREATE POLICY readers ON document AS RESTRICTIVE FOR SELECT USING (
    NOT restricted OR (SELECT sees_all()) OR (SELECT current_who()) = ANY (users)
    OR groups && (SELECT current_teams())
);
CREATE POLICY readers ON block AS RESTRICTIVE FOR SELECT USING (
    (SELECT sees_all())
    OR EXISTS (SELECT FROM document d WHERE d.ws = block.ws AND d.row = block.document)
);
CREATE POLICY readers ON relation AS RESTRICTIVE FOR SELECT USING (
    (SELECT sees_all())
    OR EXISTS (SELECT FROM document d WHERE d.ws = relation.ws AND d.id_key = relation.source_key)
    AND EXISTS (SELECT FROM document d WHERE d.ws = relation.ws AND d.id_key = relation.target_key)
);
CREATE POLICY readers ON activity AS RESTRICTIVE FOR SELECT USING (
    (SELECT sees_all()) OR who = coalesce((SELECT current_who()), '')
);
CREATE FUNCTION hidden_since(own integer, at bigint, who text, teams text[])
    RETURNS TABLE (id_key bytea, added bigint) LANGUAGE sql STABLE
    SET "biblicus_context.sees_all" = 'on'
    BEGIN ATOMIC
        SELECT n.id_key, n.added FROM document n
        WHERE n.ws = own AND n.restricted AND n.added > at
            AND NOT (coalesce(who = ANY (n.users), false) OR n.groups && teams);
    END;
CREATE FUNCTION titles_since(own integer, at bigint, who text, teams text[])
    RETURNS SETOF text LANGUAGE sql STABLE
    SET "biblicus_context.sees_all" = 'on'
    BEGIN ATOMIC
        SELECT o.title FROM document o
        WHERE o.ws = own AND o.added <= at AND o.removed > at
            AND o.id_key IN (SELECT h.id_key FROM hidden_since(own, at, who, teams) h);
    END;
"""

_STATISTICS: Final = """
CREATE FUNCTION refresh_statistics() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT AS $body$
BEGIN
    ANALYZE space, document, block, pack, recent, posting, vector, relation, usage, activity;
END $body$;
"""
"""Without statistics the planner takes every collection for a handful of rows, and reads all of its documents.
The server's own autovacuum comes a minute after an ingest, and the role that writes owns no table."""

STEPS: Final = (_FIRST + _POLICIES, _STATISTICS)
"""Step n leads from version n to version n + 1."""
VERSION: Final = len(STEPS)

_LARGE: Final = (
    *("document", "block", "pack", "recent", "posting", "vector", "relation", "usage", "activity"),
)
"""What grows with the texts. All of it begins with `ws`, by which it may be divided."""
# Whoever names a partition reads nothing: the policies are those of the whole table, which statements name.
_PARTITION: Final = """
DO $$ BEGIN
    FOR n IN 0..{most} LOOP
        EXECUTE format('CREATE TABLE {table}_%s PARTITION OF {table} FOR VALUES WITH'
            ' (MODULUS {count}, REMAINDER %s)', n, n);
        EXECUTE format('ALTER TABLE {table}_%s ENABLE ROW LEVEL SECURITY', n);
        EXECUTE format('ALTER TABLE {table}_%s FORCE ROW LEVEL SECURITY', n);
    END LOOP;
END $$;
"""


def partitioned(first: str, count: int) -> str:
    """The first step with its large tables divided by the hash of the collection."""
    for table in _LARGE:
        start = first.index(f"CREATE TABLE {table} (")
        end = first.index("\n);", start)
        made = _PARTITION.format(table=table, most=count - 1, count=count)
        first = f"{first[:end]}\n) PARTITION BY HASH (ws);{made}{first[end + 3 :]}"
    return first
