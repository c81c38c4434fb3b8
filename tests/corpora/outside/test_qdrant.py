"""Collections that people already have are searched as they are, and only the points of who asks are found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from qdrant_client import QdrantClient, models

from biblicus_context import ContextAssembler
from biblicus_context.corpora.declared import DeclaredRetrievers
from biblicus_context.embedders import build_embedder
from biblicus_context.errors import ContextError, InputError, PlanError
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.retriever import RetrieverDeclaration
from biblicus_context.stores import Principal, StoreError
from biblicus_context.stores.qdrant.hashed_words import hashed_words
from tests.qdrant_fixture import running_qdrant

EMBEDDER = build_embedder("wordllama")
UUID = "00000000-0000-0000-0000-00000000000a"
POINTS: list[tuple[int | str, str, str, str, str, int]] = [
    (1, "acme", "Refund", "A lamp is refunded within ten days.", "open", 1),
    (2, "acme", "Shipping", "Lamps ship on Friday, 100% insured.", "open", 2),
    (UUID, "acme", "Chairs", "Chairs can be returned.", "closed", 1),
    (4, "globex", "Refund", "Globex refunds a lamp at once.", "open", 1),
    (5, "acme", "Empty", "", "open", 1),
    (6, "", "Nobody", "A lamp of nobody.", "open", 1),
]
ACME = Principal("acme", user="ann")


@pytest.fixture(scope="module", autouse=True)
def articles() -> Iterator[None]:
    """One collection with named dense and sparse vectors, and one with vectors that have no name."""
    vectors = EMBEDDER.embed([text for *_, text, _, _ in POINTS])
    size = models.VectorParams(size=EMBEDDER.dimensions, distance=models.Distance.COSINE)
    with running_qdrant() as server, pytest.MonkeyPatch.context() as patched:
        patched.setenv("BIBLICUS_CONTEXT_CONNECTION_VECTORS", server.url)
        with closing(
            QdrantClient(
                host="127.0.0.1", grpc_port=server.grpc, prefer_grpc=True, check_compatibility=False
            )
        ) as client:
            words = models.SparseVectorParams(modifier=models.Modifier.IDF)
            client.create_collection(
                "articles",
                vectors_config={"text": size},
                sparse_vectors_config={"bm25": words},
            )
            client.create_collection("plain", vectors_config=size)
            rows = []
            for (id_, tenant, title, text, status, number), vector in zip(
                POINTS, vectors, strict=True
            ):
                payload = {
                    "page_content": text,
                    "metadata": {
                        "account": tenant,
                        "title": title,
                        "updated": "2026-01-02T00:00:00Z",
                        "status": status,
                        "priority": number,
                        "owner": 7,
                        "flag": number == 1,
                    },
                }
                rows.append((id_, vector.tolist(), text, payload))
            client.upsert(
                "articles",
                [
                    models.PointStruct(
                        id=id_,
                        vector={
                            "text": vector,
                            "bm25": models.SparseVector(
                                indices=hashed_words(text), values=[1.0] * len(hashed_words(text))
                            ),
                        },
                        payload=payload,
                    )
                    for id_, vector, text, payload in rows
                ],
                wait=True,
            )
            client.upsert(
                "plain",
                [
                    models.PointStruct(id=id_, vector=vector, payload=payload)
                    for id_, vector, _, payload in rows
                ],
                wait=True,
            )
        yield


PAYLOAD = {
    "text": "page_content",
    "tenant": "metadata.account",
    "title": "metadata.title",
    "time": "metadata.updated",
}
DENSE: dict[str, Any] = {"dense": "text", "embedder": "wordllama"}
SPARSE: dict[str, Any] = {"sparse": "bm25"}


def config(**more: Any) -> dict[str, Any]:
    payload = {**PAYLOAD, **more.pop("payload", {})}
    return {
        "retriever_id": "qdrant",
        "connection": "connection:vectors",
        "collection": "articles",
        "payload": {name: key for name, key in payload.items() if key is not None},
        **more,
    }


def asked(
    query: str = "lamp", who: Principal = ACME, *, offset: int = 0, limit: int = 10, **more: Any
) -> ContextPack:
    own = config(**more)
    declared = {"articles": RetrieverDeclaration(name="articles", config=own)}
    retriever = DeclaredRetrievers(declared, {}, who).get("articles")
    assert retriever is not None
    metadata = {"filters": own["filters"]} if "filters" in own else {}
    return retriever(
        ContextRetrieverRequest(query=query, offset=offset, limit=limit, metadata=metadata)
    )


def ids(pack: ContextPack) -> list[str]:
    return [each.evidence_item_id for each in pack.blocks]


def test_the_points_of_who_asks_are_found_by_their_words():
    found = asked("Is a lamp refunded?", **SPARSE)
    assert ids(found)[0] == "1"
    assert {*ids(found)} <= {"1", "2", UUID}
    best = found.blocks[0]
    assert best.text == "A lamp is refunded within ten days."
    assert best.source == "articles/1"
    assert best.metadata == {"title": "Refund", "updated": "2026-01-02T00:00:00+00:00"}
    assert ids(asked("lamp", Principal("globex"), **SPARSE)) == ["4"]
    assert ids(asked("lamp", Principal("nobody"), **SPARSE)) == []
    assert ids(asked(" ", **SPARSE)) == []


@pytest.mark.parametrize(
    "more",
    [
        DENSE,
        {**DENSE, "exact": True},
        {**DENSE, **SPARSE},
        {**DENSE, **SPARSE, "fusion": "dbsf"},
        {**DENSE, "dense": "", "collection": "plain"},
    ],
)
def test_points_are_found_by_their_vectors_and_by_both_at_once(more: dict[str, Any]):
    """The server makes one ranking of both; whose a point is holds for each of them."""
    found = asked("money back for a lamp", **more)
    assert ids(found)[0] == "1"
    assert {*ids(found)} <= {"1", "2", UUID}
    assert ids(asked("money back", Principal("globex"), **more)) == ["4"]
    assert found.blocks[0].score > 0


def test_pages_follow_each_other():
    every = ids(asked("lamp chairs returned", **DENSE))
    assert len(every) == 3
    pages = [ids(asked("lamp chairs returned", **DENSE, offset=n, limit=1)) for n in range(3)]
    assert [own for page in pages for own in page] == every


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"metadata.status": "open"}, {"1", "2"}),
        ({"metadata.status": ["closed", "lost"]}, {UUID}),
        ({"metadata.priority": 2}, {"2"}),
        ({"metadata.priority": [1, 3], "metadata.status": "open"}, {"1"}),
        ({"metadata.flag": True}, {"1", UUID}),
        ({"metadata.priority": "2"}, set()),
        ({"metadata.status": []}, set()),
        ({"metadata.missing": None}, {"1", "2", UUID}),
        ({"metadata.account": "globex"}, set()),
    ],
)
def test_a_filter_has_the_values_of_a_key(filters: dict[str, Any], expected: set[str]):
    assert {*ids(asked("lamp chairs", **DENSE, filters=filters))} == expected


def test_a_tenant_may_be_a_number_or_a_user():
    own = {"payload": {"tenant": "metadata.owner"}}
    assert len(ids(asked("lamp", Principal("7"), **DENSE, **own))) == 5
    assert ids(asked("lamp", Principal("07"), **DENSE, **own)) == []
    by_user = asked("lamp", Principal("x", user="globex"), **DENSE, tenant_is="user")
    assert ids(by_user) == ["4"]
    assert ids(asked("lamp", Principal("globex"), **DENSE, tenant_is="user")) == []


def test_points_may_be_for_everybody_if_the_plan_says_so():
    found = asked("lamp", Principal("x"), **DENSE, everybody=True, payload={"tenant": None})
    assert {*ids(found)} == {"1", "2", UUID, "4", "6"}


def test_a_plan_with_a_collection_is_assembled():
    """From a project without a corpus, as the principal of the call; a call fills filters."""
    context = {
        "inputs": {"question": "string", "status": "string"},
        "messages": [
            {"type": "context", "name": "articles"},
            {"type": "user", "content": "{input.question}"},
        ],
    }
    own = config(
        **SPARSE, limit=5, query="{input.question}", filters={"metadata.status": "{input.status}"}
    )
    assembler = ContextAssembler({"main": context}, {"articles": {"config": own}}, principal=ACME)
    inputs = {"question": "Which lamp?", "status": "open"}
    assert "ten days" in assembler.assemble("main", inputs=inputs).system_prompt
    other = assembler.for_principal(Principal("globex"))
    assert other.assemble("main", inputs=inputs).system_prompt == "Globex refunds a lamp at once."


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({**SPARSE, "payload": {"tenant": None}}, "nothing says whose the points are"),
        ({**SPARSE, "everybody": True}, "points of a tenant are not for everybody"),
        ({"dense": "text"}, "belong together: `embedder` is missing"),
        ({"embedder": "wordllama"}, "belong together: `dense` is missing"),
        ({}, "nothing says what is searched"),
        ({**DENSE, "dense": "other"}, "no dense vectors of this name"),
        ({"sparse": "other"}, "no sparse vectors of this name"),
        ({**SPARSE, "payload": {"text": "page content"}}, "payload.text"),
        ({**SPARSE, "filters": {"metadata.status": {"a": 1}}}, "a filter has texts"),
    ],
)
def test_what_a_plan_cannot_mean_is_refused(more: dict[str, Any], problem: str):
    with pytest.raises((PlanError, InputError), match=problem):
        asked("lamp", **more)


def test_errors_of_the_server_hold_no_text_and_no_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BIBLICUS_CONTEXT_CONNECTION_VECTORS", "qdrant://:hush@127.0.0.1:1")
    with pytest.raises(StoreError) as refused:
        asked("zebra", **SPARSE)
    assert "hush" not in str(refused.value)
    assert "zebra" not in str(refused.value)
    monkeypatch.undo()
    with pytest.raises(ContextError, match="the Qdrant server failed"):
        asked("zebra", **SPARSE, collection="missing")
