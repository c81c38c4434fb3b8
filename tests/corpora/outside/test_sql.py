"""Tables that people already have are searched as they are, and only the rows of who asks are found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context import ContextAssembler
from biblicus_context.base import deadline
from biblicus_context.corpora.declared import DeclaredRetrievers
from biblicus_context.embedders import build_embedder
from biblicus_context.errors import ContextError, InputError, PlanError
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.retriever import RetrieverDeclaration
from biblicus_context.stores import Principal, StoreError
from tests.stores.postgres import server

EMBEDDER = build_embedder("wordllama")
ROWS = [
    (1, "acme", "Refund", "A lamp is refunded within ten days.", "2026-01-02", "open", 1),
    (2, "acme", "Shipping", "Lamps ship on Friday, 100% insured.", "2026-03-04", "open", 2),
    (3, "acme", "Chairs", "Chairs can be returned.", "2025-01-01", "closed", 1),
    (4, "globex", "Refund", "Globex refunds a lamp at once.", "2026-01-01", "open", 1),
    (5, "acme", "Empty", "", None, "open", 1),
    (6, None, "Nobody", "A lamp of nobody.", None, "open", 1),
]
ACME = Principal("acme", user="ann")


@pytest.fixture(scope="module", autouse=True)
def tickets() -> Iterator[None]:
    """One table, a view of it, and a user who may read them and nothing else."""
    vectors = EMBEDDER.embed([row[3] for row in ROWS])
    with psycopg.connect(server().url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA support")
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(
            "CREATE TABLE support.tickets (id integer PRIMARY KEY, account text, subject text, body text,"
            ' changed timestamptz, status text, priority integer, "odd %s"" name" text DEFAULT \'x\','
            f" embedding vector({EMBEDDER.dimensions}), plain real[], raw bytea, owner uuid, number integer,"
            " search tsvector GENERATED ALWAYS AS (to_tsvector('english', coalesce(body, ''))) STORED,"
            " secret text DEFAULT 'hunter2')"
        )
        for row, vector in zip(ROWS, vectors, strict=True):
            connection.execute(
                "INSERT INTO support.tickets (id, account, subject, body, changed, status, priority,"
                " embedding, plain, raw, owner, number) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s,"
                " '00000000-0000-0000-0000-000000000001', 7)",
                (
                    *row,
                    str(vector.tolist()),
                    vector.tolist(),
                    np.asarray(vector, dtype="<f4").tobytes(),
                ),
            )
        connection.execute("CREATE VIEW support.open AS SELECT * FROM support.tickets")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA support TO reader")
        connection.execute("GRANT SELECT ON support.open TO reader")
        connection.execute(
            "GRANT SELECT (id, account, subject, body, changed, status, priority, embedding, plain, raw,"
            ' search, owner, number, "odd %s"" name") ON support.tickets TO reader'
        )
    own = server().url.replace("postgres@", "reader@")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("BIBLICUS_CONTEXT_CONNECTION_CRM", f"{own}&patience=20")
        yield
    with psycopg.connect(server().url, autocommit=True) as connection:
        connection.execute("SET client_min_messages = error")
        connection.execute("DROP SCHEMA support CASCADE")
        connection.execute("DROP ROLE reader")


COLUMNS = {"id": "id", "text": "body", "title": "subject", "tenant": "account", "time": "changed"}


def config(**more: Any) -> dict[str, Any]:
    columns = {**COLUMNS, **more.pop("columns", {})}
    columns = {name: column for name, column in columns.items() if column is not None}
    return {
        "retriever_id": "sql",
        "connection": "connection:crm",
        "table": "support.tickets",
        "columns": columns,
        **more,
    }


def asked(
    query: str = "lamp", who: Principal = ACME, *, offset: int = 0, limit: int = 10, **more: Any
) -> ContextPack:
    own = config(**more)
    declared = {"tickets": RetrieverDeclaration(name="tickets", config=own)}
    retriever = DeclaredRetrievers(declared, {}, who).get("tickets")
    assert retriever is not None
    metadata = {"filters": own["filters"]} if "filters" in own else {}
    return retriever(
        ContextRetrieverRequest(query=query, offset=offset, limit=limit, metadata=metadata)
    )


def ids(pack: ContextPack) -> list[str]:
    return [each.evidence_item_id for each in pack.blocks]


def test_the_rows_of_who_asks_are_found_by_their_words():
    """With their titles and times; those of others, of nobody and without text are not."""
    found = asked("Is a lamp refunded?")
    assert ids(found) == ["1", "2"]
    best = found.blocks[0]
    assert best.text == "A lamp is refunded within ten days."
    assert best.source == "support.tickets/1"
    assert best.metadata == {"title": "Refund", "updated": "2026-01-02T00:00:00+00:00"}
    assert ids(asked("lamp", Principal("globex"))) == ["4"]
    assert ids(asked("lamp", Principal("nobody"))) == []
    assert ids(asked("the of and")) == []
    assert ids(asked(" ")) == []


def test_a_plan_with_a_table_is_assembled():
    """From a project without a corpus, as the principal of the call; a call fills filters."""
    context = {
        "inputs": {"question": "string", "status": "string"},
        "messages": [
            {"type": "context", "name": "tickets"},
            {"type": "user", "content": "{input.question}"},
        ],
    }
    own = config(limit=5, query="{input.question}", filters={"status": "{input.status}"})
    assembler = ContextAssembler({"main": context}, {"tickets": {"config": own}}, principal=ACME)
    inputs = {"question": "Which lamp?", "status": "open"}
    assert "ten days" in assembler.assemble("main", inputs=inputs).system_prompt
    closed = assembler.assemble("main", inputs={**inputs, "status": "closed"})
    assert closed.system_prompt == ""
    other = assembler.for_principal(Principal("globex"))
    assert other.assemble("main", inputs=inputs).system_prompt == "Globex refunds a lamp at once."


@pytest.mark.parametrize(
    "more",
    [
        {"table": "support.open"},
        {"columns": {"words": "search"}},
        {"columns": {"vector": "embedding"}, "embedder": "wordllama"},
        {"columns": {"vector": "plain"}, "embedder": "wordllama"},
        {"columns": {"vector": "raw"}, "embedder": "wordllama"},
        {"language": None},
        {"language": "simple", "columns": {"title": None}},
    ],
    ids=["view", "tsvector", "pgvector", "array", "bytes", "parts", "simple"],
)
def test_every_kind_of_search_finds_the_rows_of_one_tenant(more: dict[str, Any]):
    """The best one first."""
    found = ids(asked("lamp refunded days", **more))
    assert found[0] == "1"
    assert {*found} <= {"1", "2", "3"}


def test_pages_continue_one_ranking():
    """No row is there twice."""
    own: dict[str, Any] = {"columns": {"vector": "embedding"}, "embedder": "wordllama"}
    pages = [asked("lamp", offset=n, limit=1, **own) for n in range(4)]
    assert sorted(each for page in pages for each in ids(page)) == ["1", "2", "3"]
    assert [page.more for page in pages] == [True, True, False, False]


def test_the_two_kinds_of_vectors_find_the_same():
    """By pgvector, and compared here."""
    scores = [
        {
            each.evidence_item_id: round(each.carried.parts["vectors"], 4)
            for each in asked("chair", columns={"vector": name}, embedder="wordllama").blocks
            if each.carried
        }
        for name in ("embedding", "plain", "raw")
    ]
    assert len(scores[0]) == 3
    assert scores[0] == scores[1] == scores[2]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"status": "open"}, ["1", "2"]),
        ({"status": ["closed", "new"]}, []),
        ({"priority": 2}, ["2"]),
        ({"priority": [1, 2.0]}, ["1", "2"]),
        ({"priority": "2"}, []),
        ({"status": None}, []),
        ({"status": "a\0b"}, []),
        ({"status": "' OR true --"}, []),
        ({'odd %s" name': "x"}, ["1", "2"]),
    ],
)
def test_filters_are_values_of_columns(filters: dict[str, Any], found: list[str]):
    assert ids(asked("lamp", filters=filters)) == found


@pytest.mark.parametrize(
    "query", ["100%", "a_b", "back\\slash lamp", "it's 'lamp' & | ! ( :*", "lamp\0"]
)
@pytest.mark.parametrize("language", ["english", None])
def test_a_query_is_data(query: str, language: str | None):
    """Whatever signs it has."""
    assert {*ids(asked(query, language=language))} <= {"1", "2", "3"}


@settings(max_examples=40, deadline=None)
@given(query=st.text(max_size=40), tenant=st.text(max_size=20), value=st.text(max_size=10))
def test_nothing_of_another_tenant_is_found(query: str, tenant: str, value: str):
    """By any query, name or filter; and no text breaks a statement."""
    who = Principal(tenant)
    for language in ("english", None):
        found = asked(f"{query} lamp", who, language=language, filters={"status": ["open", value]})
        assert {*ids(found)} <= (
            {"1", "2"} if tenant == "acme" else {"4"} if tenant == "globex" else set()
        )


def test_a_tenant_may_be_a_number_a_uuid_or_the_user():
    own: dict[str, Any] = {"columns": {"tenant": "number"}}
    assert len(ids(asked("lamp", Principal("7"), **own))) == 4
    for other in ("8", "x", "99999999999999999999", "7 OR true"):
        assert ids(asked("lamp", Principal(other), **own)) == []
    own = {"columns": {"tenant": "owner"}}
    assert len(ids(asked("lamp", Principal("00000000-0000-0000-0000-000000000001"), **own))) == 4
    assert ids(asked("lamp", Principal("acme"), **own)) == []
    by_user: dict[str, Any] = {"tenant_is": "user"}
    assert ids(asked("lamp", Principal("x", user="globex"), **by_user)) == ["4"]
    assert ids(asked("lamp", Principal("globex"), **by_user)) == []


def test_rows_may_be_for_everybody_if_the_plan_says_so():
    found = ids(asked("lamp", columns={"tenant": None}, everybody=True))
    assert {*found} == {"1", "2", "4", "6"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"columns": {"tenant": None}}, "nothing says whose the rows are.*everybody: true"),
        ({"everybody": True}, "rows of a tenant are not for everybody"),
        (
            {"table": "support.nothing"},
            "sees no table or view of this name: found 'support.nothing'",
        ),
        ({"table": "pg_catalog.pg_authid"}, "a table of the system"),
        ({"table": "tickets; DROP TABLE x"}, "table"),
        ({"columns": {"text": "bodi"}}, r"columns.text.*found 'bodi'.*Did you mean 'body'"),
        (
            {"columns": {"text": "secret"}},
            "no such column that the user of the connection may read",
        ),
        ({"columns": {"text": 'b" --'}}, "columns.text"),
        ({"columns": {"tenant": "changed"}}, "of type timestamp with time zone; tenant is a text"),
        ({"columns": {"vector": "body"}, "embedder": "wordllama"}, "of type text; vector is"),
        ({"columns": {"vector": "embedding"}}, "belong together: `embedder` is missing"),
        ({"language": "klingon"}, "no such text search configuration: found 'klingon'"),
        ({"connection": "postgresql://ann@db/x"}, "connection"),
        ({"corpus": "kb"}, "corpus"),
        ({"filters": {"stat": 1}}, "no such column.*found 'stat'"),
        ({"filters": {"status": {"a": 1}}}, "a filter has texts"),
    ],
)
def test_a_mistake_names_its_setting(more: dict[str, Any], said: str):
    with pytest.raises((PlanError, InputError), match=said):
        asked("lamp", **more)


def test_an_error_of_the_database_is_not_repeated(monkeypatch: pytest.MonkeyPatch):
    """Nor is the URL of the connection."""
    monkeypatch.setenv(
        "BIBLICUS_CONTEXT_CONNECTION_CRM", "postgresql://ann:pw@/none?host=/nowhere&patience=1"
    )
    with pytest.raises(StoreError) as refused:
        asked("lamp")
    assert "nowhere" not in str(refused.value)
    assert "pw" not in str(refused.value)
    assert "connection:crm" in str(refused.value)
    assert refused.value.__cause__ is None
    monkeypatch.delenv("BIBLICUS_CONTEXT_CONNECTION_CRM")
    with pytest.raises(ContextError, match="Connection 'crm' not defined"):
        asked("lamp")


def test_a_deadline_ends_a_statement():
    """The table is locked, so that nobody can read it."""
    asked("lamp")
    with psycopg.connect(server().url) as other:
        other.execute("LOCK TABLE support.tickets IN ACCESS EXCLUSIVE MODE")
        with deadline(0.3), pytest.raises(StoreError, match=r"locked for too long|took too long"):
            asked("lamp", columns={"metadata": []})
        other.rollback()
    assert ids(asked("lamp")) == ["1", "2"]


def test_metadata_are_columns():
    (first, *_) = asked("refunded", columns={"metadata": ["status", "priority"]}).blocks
    assert first.metadata is not None
    assert (first.metadata["status"], first.metadata["priority"]) == ("open", 1)
    assert json.dumps(first.metadata)


def test_a_search_takes_two_round_trips_once_the_table_is_known():
    """One finds the rows, the other one reads those that are shown."""
    declared = {"tickets": RetrieverDeclaration(name="tickets", config=config())}
    retriever: Any = DeclaredRetrievers(declared, {}, ACME).get("tickets")
    retriever(ContextRetrieverRequest(query="lamp"))
    own = retriever.declared.table._server
    before = own.trips
    retriever(ContextRetrieverRequest(query="chair"))
    assert own.trips - before == 2
