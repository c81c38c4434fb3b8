"""The service answers over real HTTP: contexts, health, and its own description."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from biblicus_context import ContextAssembler
from biblicus_context.service import app
from tests.service.serving import client_of

pytestmark = pytest.mark.enable_socket


def test_contexts_are_listed_with_what_they_take(client: httpx.Client):
    found = client.get("/v1/contexts").json()
    assert found["contexts"][0] == {"name": "support", "description": "Answers of a shop."}
    about = client.get("/v1/contexts/support").json()
    assert about["inputs"]["required"] == ["question"]
    assert about["inputs"]["properties"]["question"]["type"] == "string"
    assert about["packs"] == ["kb"]


def test_an_assembly_over_http_is_that_of_the_engine(client: httpx.Client):
    made = client.post("/v1/contexts/plain/assemble", json={"inputs": {"name": "Ann"}})
    assert made.status_code == 200
    plan = {"messages": [{"type": "user", "content": "Hello {input.name}."}]}
    own = ContextAssembler({"plain": plan}).assemble("plain", inputs={"name": "Ann"})
    assert made.json()["messages"] == own.messages
    assert made.json()["token_count"] == own.token_count
    assert made.headers["x-receipt-id"] == made.json()["receipt_id"]


@pytest.mark.parametrize("name", ["text", "openai", "openai-responses", "anthropic", "gemini"])
def test_an_assembly_has_the_arguments_of_each_provider(client: httpx.Client, name: str):
    body = {"inputs": {"name": "Ann"}, "format": name}
    made = client.post("/v1/contexts/plain/assemble", json=body).json()
    said = made["text"] if name == "text" else str(made["arguments"])
    assert "Hello Ann." in said
    assert made["messages"] is None


def test_a_receipt_and_a_whole_result_come_on_demand(client: httpx.Client):
    short = client.post("/v1/contexts/plain/assemble", json={}).json()
    assert short["receipt"] is None
    assert short["result"] is None
    whole = client.post(
        "/v1/contexts/plain/assemble", json={"receipt": True, "result": True}
    ).json()
    assert whole["receipt"]["used"] == whole["token_count"]
    again = client.post(
        "/v1/contexts/plain/assemble", json={"previous": whole["result"], "receipt": True}
    ).json()
    assert again["receipt"]["same_prefix"] == whole["token_count"]


def test_what_if_says_what_each_budget_keeps(client: httpx.Client):
    body = {"inputs": {"name": "Ann"}, "budgets": [2, 100, None], "models": [None, "gpt-4o"]}
    found = client.post("/v1/contexts/plain/whatif", json=body).json()
    assert [each["fits"] for each in found] == [False, True, True, False, True, True]
    assert found[0]["needed"] > 2


def test_explain_is_a_page_without_scripts(client: httpx.Client):
    page = client.post("/v1/contexts/plain/explain", json={})
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "<script" not in page.text
    assert "Hello you." in page.text


def test_health_is_for_everybody(client: httpx.Client):
    assert client.get("/healthz").json() == {"status": "alive"}
    assert client.get("/readyz").json() == {"status": "ready", "contexts": 2, "problem": None}


def test_the_description_names_every_operation(client: httpx.Client):
    document = client.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    assemble = document["paths"]["/v1/contexts/{name}/assemble"]["post"]
    assert assemble["requestBody"]["content"]["application/json"]["schema"]
    page = client.get("/docs").text
    assert "/v1/contexts/{name}/assemble" in page
    assert (
        "http" not in page.replace("https://", "http").partition("<h2>")[0].partition("<style>")[0]
    )


def test_an_unknown_context_lists_those_that_there_are(client: httpx.Client):
    answer = client.post("/v1/contexts/suport/assemble", json={})
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["place"] == "path.name"
    assert problem["valid"] == ["plain", "support"]
    assert "Did you mean 'support'?" in problem["detail"]


def test_a_budget_that_cannot_hold_is_a_problem_with_its_parts(client: httpx.Client):
    body = {"inputs": {"name": "Ann"}, "budget": 1}
    problem = client.post("/v1/contexts/plain/assemble", json=body)
    assert problem.status_code == 422
    assert problem.json()["type"] == "urn:biblicus-context:problem:budget-error"
    assert problem.json()["needed"] > 1
    assert problem.json()["parts"]


def test_a_body_that_does_not_fit_says_where(client: httpx.Client):
    answer = client.post("/v1/contexts/plain/assemble", json={"budget": "many", "histroy": []})
    assert answer.status_code == 422
    places = {each["place"] for each in answer.json()["mistakes"]}
    assert places == {"body.budget", "body.histroy"}


def test_an_input_of_the_wrong_type_is_the_engines_own_error(client: httpx.Client):
    answer = client.post("/v1/contexts/support/assemble", json={"inputs": {"question": 3}})
    assert answer.status_code == 422
    assert answer.json()["title"] == "input 'question' must be of type string"


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{", {"content-type": "application/json"}, 400),
        (b'{"inputs":' * 3_000, {"content-type": "application/json"}, 400),
        (b"{}", {"content-type": "text/plain"}, 415),
        (b"{}", {}, 415),
        (b"{}", {"content-type": "application/json; charset=utf-16"}, 415),
        (b"{}", {"content-type": "application/json", "content-encoding": "gzip"}, 415),
        (b'{"inputs": {"name": "\xff"}}', {"content-type": "application/json"}, 400),
        (b'{"inputs": {"name": "\\ud800"}}', {"content-type": "application/json"}, 400),
        (b" " * 5_000_000, {"content-type": "application/json"}, 413),
    ],
)
def test_what_is_not_our_json_is_refused(client: httpx.Client, content, headers, status):
    answer = client.post("/v1/contexts/plain/assemble", content=content, headers=headers)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_path_or_a_method_that_is_not_there_is_a_problem(client: httpx.Client):
    assert client.get("/v1/nothing").json()["status"] == 404
    wrong = client.put("/v1/contexts/plain/assemble", json={})
    assert wrong.json()["status"] == 405
    assert wrong.headers["allow"] == "POST"


def test_a_path_that_is_not_there_says_where_the_paths_are(client: httpx.Client):
    assert "/docs" in client.get("/").json()["fix"]
    assert client.head("/healthz").status_code == 200


def test_many_parameters_are_refused_like_an_unknown_one(client: httpx.Client):
    answer = client.get("/v1/contexts", params=[(f"p{number}", "x") for number in range(101)])
    assert answer.status_code == 422
    assert answer.json()["place"] == "query"


@pytest.mark.parametrize("path", ["/mine", "/mine/deep"])
def test_routes_of_others_are_served_next_to_ours(plans: Path, path: str):
    def said(request: Request) -> PlainTextResponse:
        return PlainTextResponse(request.url.path, headers={"x-request-id": "theirs"})

    mounted = [Route("/mine", said), Mount("/mine", routes=[Route("/deep", said)])]
    with client_of(app(plans, routes=mounted)) as client:
        answer = client.get(path, headers={"x-request-id": "ours"})
        assert answer.text == path
        assert answer.headers["x-request-id"] == "ours"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert client.get("/v1/contexts").status_code == 200


def test_a_request_keeps_its_id(client: httpx.Client):
    assert (
        client.get("/healthz", headers={"x-request-id": "abc-1"}).headers["x-request-id"] == "abc-1"
    )
    made = client.get("/healthz", headers={"x-request-id": "a b"}).headers["x-request-id"]
    assert made != "a b"
    problem = client.get("/v1/nothing", headers={"x-request-id": "abc-2"}).json()
    assert problem["request_id"] == "abc-2"


def test_a_host_of_somebody_else_is_refused(client: httpx.Client):
    assert client.get("/v1/contexts", headers={"host": "evil.example"}).status_code == 421
    assert client.get("/v1/contexts", headers={"host": "localhost:8321"}).status_code == 200


def test_a_web_page_may_ask_only_if_it_is_named(plans: Path, client: httpx.Client):
    page = {"origin": "https://page.example"}
    assert client.get("/v1/contexts", headers=page).status_code == 403


def test_a_mistake_in_the_plans_is_reported_before_anything_is_served(tmp_path: Path):
    (tmp_path / "bad.yaml").write_text("kind: context\nname: x\nmesages: []\n", encoding="utf-8")
    with pytest.raises(ValueError, match="mesages"):
        app(tmp_path)
