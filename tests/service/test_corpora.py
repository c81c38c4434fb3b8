"""Documents over HTTP: written, found at once, listed by pages, and of one workspace alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from biblicus_context.service import KeyFile, KeyScope, app
from tests.service.serving import client_of

pytestmark = pytest.mark.enable_socket
DOCS = "/v1/corpora/notes/documents"


@pytest.fixture(scope="module")
def two(plans: Path, tmp_path_factory) -> Iterator[tuple[httpx.Client, dict, dict]]:
    """A client, and the headers of writers in two workspaces."""
    keys = KeyFile(tmp_path_factory.mktemp("keys") / "keys.json")
    scopes = (KeyScope.READ, KeyScope.WRITE)
    ann = {"x-api-key": keys.create("acme", user="ann", scopes=scopes).key}
    bob = {"x-api-key": keys.create("blue", user="bob", scopes=scopes).key}
    with client_of(app(plans, keys=keys)) as client:
        yield client, ann, bob


def test_a_document_is_found_as_soon_as_it_is_written(two):
    client, ann, bob = two
    text = {"text": "Green tea wants water of 80 degrees.", "title": "Tea", "tags": ["drink"]}
    done = client.put(f"{DOCS}/tea/green", json=text, headers=ann)
    assert done.status_code == 200, done.text
    assert done.json()["records"] == 1
    asked = {"query": "how hot is water for tea?", "retriever_id": "keyword"}
    (hit,) = client.post("/v1/corpora/notes/search", json=asked, headers=ann).json()["hits"]
    assert hit["document"] == "tea/green"
    assert client.post("/v1/corpora/notes/search", json=asked, headers=bob).json() == {"hits": []}
    known = client.get(f"{DOCS}/tea/green", headers=ann).json()
    assert (known["text"], known["tags"]) == (text["text"], ["drink"])
    assert client.get(f"{DOCS}/tea/green", headers=bob).status_code == 404
    gone = client.delete(f"{DOCS}/tea/green", headers=ann).json()
    assert gone["documents"] == 1
    assert client.get(f"{DOCS}/tea/green", headers=ann).status_code == 404


def test_documents_are_listed_page_by_page(two):
    client, ann, bob = two
    many = [{"id": f"d{number}", "text": f"Note {number}."} for number in range(5)]
    assert client.post(DOCS, json={"documents": many}, headers=ann).json()["records"] == 5
    found, after = [], None
    while True:
        where = {"limit": 2} | ({"after": after} if after else {})
        page = client.get(DOCS, params=where, headers=ann).json()
        found += [each["id"] for each in page["documents"]]
        after = page["next"]
        if after is None:
            break
    assert found == [f"d{number}" for number in range(5)]
    assert client.get(DOCS, headers=bob).json() == {"documents": [], "next": None}
    assert client.get(DOCS, params={"limitt": 2}, headers=ann).status_code == 422
    assert client.get(DOCS, params={"limit": "many"}, headers=ann).json()["place"] == "query.limit"


def test_a_batch_is_written_whole_or_not_at_all(two):
    client, ann, _ = two
    bad = {"documents": [{"id": "ok", "text": "Fine."}, {"id": "no", "confidence": 3}]}
    assert client.post(DOCS, json=bad, headers=ann).status_code == 422
    assert client.get(f"{DOCS}/ok", headers=ann).status_code == 404


def test_readers_are_kept(two):
    client, ann, _ = two
    secret = {"text": "The salary list.", "readers": {"users": ["eve"]}}
    assert client.put(f"{DOCS}/secret", json=secret, headers=ann).status_code in (200, 422)
    assert client.get(f"{DOCS}/secret", headers=ann).status_code == 404


def test_files_of_the_operator_are_read_by_all_and_written_by_nobody(two):
    client, ann, bob = two
    for who in (ann, bob):
        asked = {"query": "may a lamp be sent back?", "retriever_id": "keyword"}
        (hit,) = client.post("/v1/corpora/handbook/search", json=asked, headers=who).json()["hits"]
        assert hit["source"] == "returns.md"
        refused = client.put("/v1/corpora/handbook/documents/x", json={"text": "x"}, headers=who)
        assert refused.status_code == 422
    listed = client.get("/v1/corpora", headers=ann).json()["corpora"]
    assert {each["name"]: each["is_writable"] for each in listed} == {
        "notes": True,
        "handbook": False,
    }


def test_a_context_is_assembled_from_the_callers_own_documents(two):
    client, ann, bob = two
    client.put(f"{DOCS}/lamp", json={"text": "Order 7 of a lamp left on Monday."}, headers=ann)
    body = {"inputs": {"question": "When did the lamp leave?"}, "format": "text"}
    assert (
        "Monday"
        in client.post("/v1/contexts/support/assemble", json=body, headers=ann).json()["text"]
    )
    assert (
        "Monday"
        not in client.post("/v1/contexts/support/assemble", json=body, headers=bob).json()["text"]
    )


@pytest.mark.parametrize(
    "path",
    ["../secret", "..%2f..%2fetc%2fpasswd", "a%00b", "%2e%2e/x", "a\\b", "x" * 600, "a%0ab"],
)
def test_ids_are_names_and_never_paths(two, path: str):
    client, ann, _ = two
    answer = client.get(f"{DOCS}/{path}", headers=ann)
    assert answer.status_code in (404, 422)
