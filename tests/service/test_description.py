"""Every route of the description: who may ask it, what crosses between tenants, and whether it does what is described."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from biblicus_context.service import KeyFile, KeyScope, app
from tests.nightly import NIGHTLY
from tests.service.serving import serving

pytestmark = pytest.mark.enable_socket
SECRET = "zebrafish-of-acme"
WORD = "secret"
"""The id of all that is planted, and every text that the other tenant sends."""


class Served(NamedTuple):
    address: str
    client: httpx.Client
    keys: dict[str, str]
    document: dict[str, Any]


@pytest.fixture(scope="module")
def served(plans: Path, tmp_path_factory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("described")
    keys = KeyFile(place / "keys.json")
    made = {each.value: keys.create("acme", user="ann", scopes=(each,)).key for each in KeyScope}
    made["third"] = keys.create("green", user="ann", scopes=(KeyScope.ADMIN,)).key
    made["other"] = keys.create("blue", user="ann", scopes=(KeyScope.ADMIN,)).key
    application = app(plans, keys=keys, settings={"data": place / "data"})
    with serving(application) as address, httpx.Client(base_url=address, timeout=30) as client:
        found = Served(address, client, made, client.get("/openapi.json").json())
        plant(found)
        yield found


def plant(served: Served, key: str = "admin") -> None:
    def put(path: str, body: dict[str, Any], method: str = "POST") -> None:
        headers = {"x-api-key": served.keys[key]}
        done = served.client.request(method, path, json=body, headers=headers)
        assert done.is_success, done.text

    put(f"/v1/corpora/notes/documents/{WORD}", {"text": f"{WORD} {SECRET}"}, "PUT")
    put("/v1/memory/remember", {"memory": {"id": WORD, "content": f"{WORD} {SECRET}"}})
    put("/v1/learning/record-memory", {"memory": {"id": WORD, "content": f"{WORD} {SECRET}"}})
    block = {"id": WORD, "type": "page", "title": WORD, "content": f"{WORD} {SECRET}"}
    put("/v1/workspace/put-block", {"blocks": [block]})
    file = {"id": WORD, "path": f"{WORD}.md", "content": f"{WORD} {SECRET}"}
    put("/v1/prime/put-files", {"files": [file]})
    put("/v1/prime/add-messages",
        {"threadId": WORD, "messages": [{"role": "user", "content": SECRET, "id": WORD}]})  # fmt: skip
    put("/v1/prime/add-reference", {"threadId": WORD, "fileId": WORD})


REMOVES = ("delete", "forget", "remove", "clear")
SPECIAL: dict[str, dict[str, Any]] = {
    "memory_search_by_vector": {"query": [0.1] * 256},
    "memory_build_context_by_vector": {"query": [0.1] * 256},
    "workspace_move_block": {"parent_id": None},
    "workspace_grant": {"users": [WORD]},
    "workspace_revoke": {"users": [WORD]},
    "learning_assemble_context": {"context_types": ["memories"]},
}
"""What the word that is everywhere else would not do in a body."""
ELSEWHERE = {"get_receipt", "get_session", "compare_revision"}
"""What needs the id of an answer, or a repository: they have tests of their own."""


def routes(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each method of each path, with names in it; those that remove something come last."""
    found = [
        (method, path, each)
        for path, methods in document["paths"].items()
        for method, each in methods.items()
    ]
    found.sort(key=lambda one: any(word in one[2]["operationId"] for word in REMOVES))
    for method, path, each in found:
        name = "notes" if "corpora" in path else "support"
        filled = path.replace("{name}", name).replace("{id}", WORD).replace("{file}", "style.css")
        yield method.upper(), filled, each


def example(schema: dict[str, Any], document: dict[str, Any]) -> Any:
    """A value that fits a schema, in which every text is the same word."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return example(document["components"]["schemas"][name], document)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return example(schema["anyOf"][0], document)
    match schema.get("type"):
        case "object":
            required = schema.get("required", ())
            own = schema.get("properties", {})
            made = {name: example(own[name], document) for name in required if name in own}
            return made | ({"inputs": {"question": WORD}} if "inputs" in own else {})
        case "array":
            return [example(schema.get("items", {}), document)]
        case "integer":
            return schema.get("minimum", 1)
        case "number":
            return 0.5
        case "boolean":
            return True
        case "string" if schema.get("format") == "date-time":
            return "2026-01-01T00:00:00Z"
    return WORD


def ask(served: Served, method: str, path: str, each: dict[str, Any], key: str | None):
    content = each.get("requestBody", {}).get("content", {})
    special = SPECIAL.get(each["operationId"], {})
    body = [example(one["schema"], served.document) | special for one in content.values()]
    headers = {} if key is None else {"x-api-key": key}
    own = {"json": body[0]} if body else {}
    return served.client.request(method, path, headers=headers, **own)


def test_every_operation_has_a_path_and_a_name_of_its_own(plans: Path, tmp_path: Path):
    service = app(plans, settings={"data": tmp_path}).state.service
    service.close()
    paths = [(each.method, each.path) for each in service.operations]
    assert len(paths) == len(set(paths))
    names = [each.name for each in service.operations]
    assert len(names) == len(set(names))


def test_every_route_asks_for_a_key_with_its_scope_and_takes_no_other(served: Served):
    wrong = []
    for method, path, each in routes(served.document):
        needed = each.get("security", [{"key": [None]}])[-1]["key"][0]
        bare = ask(served, method, path, each, None)
        if (bare.status_code == 401) != (needed is not None):
            wrong.append((method, path, "without a key", bare.status_code))
        for scope in KeyScope:
            if (
                scope is KeyScope.ADMIN
                or method == "DELETE"
                or "forget" in path
                or "remove" in path
            ):
                continue  # they would remove what was planted: the next test asks them
            if needed in (None, scope.value):
                continue
            found = ask(served, method, path, each, served.keys[scope.value])
            if found.status_code != 403:
                wrong.append((method, path, scope.value, found.status_code))
    assert wrong == []


def test_nothing_of_a_tenant_reaches_another_one_by_any_route(served: Served):
    crossed, failed = [], []
    for method, path, each in routes(served.document):
        answer = ask(served, method, path, each, served.keys["other"])
        if SECRET in answer.text:
            crossed.append((method, path))
        if answer.status_code >= 500:
            failed.append((method, path, answer.status_code, answer.text[:300]))
    assert crossed == []
    assert failed == []
    # The other tenant removed, moved and overwrote all of its own under the same ids; ours is there.
    headers = {"x-api-key": served.keys["admin"]}

    def own(path: str, body: dict[str, Any] | None = None) -> str:
        method = "GET" if body is None else "POST"
        return served.client.request(method, path, json=body, headers=headers).text

    assert SECRET in own(f"/v1/corpora/notes/documents/{WORD}")
    assert SECRET in own("/v1/memory/get", {"ids": [WORD]})
    assert SECRET in own("/v1/learning/search-memories", {"query": WORD, "limit": 5})
    assert SECRET in own("/v1/workspace/build", {"query": WORD, "focus": {"block_id": WORD}})
    assert SECRET in own("/context/build", {"threadId": WORD, "message": WORD})


def test_a_receipt_is_its_callers_alone(served: Served):
    headers = {"x-api-key": served.keys["admin"]}
    body = {"inputs": {"question": WORD}}
    made = served.client.post("/v1/contexts/support/assemble", json=body, headers=headers)
    where = f"/v1/receipts/{made.headers['x-receipt-id']}"
    assert SECRET in made.text
    assert served.client.get(where, headers=headers).status_code == 200
    other = served.client.get(where, headers={"x-api-key": served.keys["other"]})
    assert other.status_code == 404


def test_the_requests_that_try_every_route_do_something(served: Served):
    """Else the test of tenants would try a new route with a body that it refuses, and see nothing."""
    plant(served, "third")
    refused = {}
    for method, path, each in routes(served.document):
        answer = ask(served, method, path, each, served.keys["third"])
        if not answer.is_success and each["operationId"] not in ELSEWHERE:
            refused[each["operationId"]] = (answer.status_code, answer.text[:200])
    assert refused == {}


def test_the_description_is_true(served: Served):
    schema = schemathesis.openapi.from_dict(served.document)
    schema.config.update(base_url=served.address)
    checks = [
        not_a_server_error,
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    ]
    session = requests.Session()

    for result in schema.get_all_operations():
        operation = result.ok()
        is_own = not operation.path.startswith(("/v1/memory", "/v1/learning", "/v1/workspace"))
        examples = 100 if NIGHTLY else 2 if is_own else 1

        @settings(
            max_examples=examples, deadline=None, database=None, derandomize=not NIGHTLY,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        def run(case: schemathesis.Case) -> None:
            headers = {"x-api-key": served.keys["other"], "host": "localhost"}
            case.call_and_validate(checks=checks, headers=headers, session=session, timeout=30)

        schemathesis_test(operation, run)


def schemathesis_test(operation: Any, run: Any) -> None:
    """Runs a test with cases of one operation."""
    from hypothesis import given

    given(case=operation.as_strategy())(run)()
