"""What is refused, and what stays as it was when something around the service goes wrong."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from biblicus_context.corpora import LOCAL
from biblicus_context.errors import InputError, LoadError
from biblicus_context.service import KeyFile, KeyScope, ServeSettings, app, serve
from biblicus_context.service.authentication import is_loopback
from biblicus_context.service.plans import LivePlans
from biblicus_context.service.web_tokens import WebTokens, WebTokenSettings
from tests.service.serving import client_of, serving

pytestmark = pytest.mark.enable_socket
PLAN = "kind: context\nname: {name}\nmessages: [{{type: user, content: Hello.}}]\n"
ASSEMBLE = "/v1/contexts/plain/assemble"


def test_plans_with_a_mistake_leave_those_of_before(tmp_path: Path, caplog):
    plan = tmp_path / "plan.yaml"
    notes = (
        f"---\nkind: corpus\nname: notes\nconfig: {{store: {tmp_path / 'store'}, embedder: null}}\n"
    )
    plan.write_text(PLAN.format(name="one") + notes, "utf-8")
    live = LivePlans([plan])
    try:
        before = live.now
        plan.write_text(PLAN.format(name="one") + "surprise: true\n", "utf-8")
        assert live.reload() is False
        assert live.now is before
        assert "surprise" in str(live.problem)
        assert "the plans are as they were" in caplog.text
        plan.write_text(PLAN.format(name="two") + notes, "utf-8")
        assert live.reload() is True
        assert live.problem is None
        assert [*live.now.project.contexts] == ["two"]
        assert (
            live.now.corpora["notes"] is before.corpora["notes"]
        )  # what did not change stays open
        assert live.now.assembler_of(LOCAL) is live.now.assembler_of(LOCAL)
        assert live.now.assembler_of(LOCAL) is not before.assembler_of(LOCAL)
    finally:
        live.close()


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("assemble", {"history": [{"role": "user", "content": "x"}] * 3}, "body.history"),
        ("assemble", {"budget": 2_000}, "body.budget"),
        ("whatif", {"budgets": [100] * 20, "models": ["gpt-4o"] * 3}, "body.budgets"),
        ("assemble", {"inputs": "x"}, "body.inputs"),
    ],
)
def test_a_call_beyond_the_limits_is_refused_with_its_place(plans: Path, path, body, place):
    limits = {"limits": {"history_messages": 2, "budget": 1_000}}
    with client_of(app(plans, settings=limits)) as client:
        answer = client.post(f"/v1/contexts/plain/{path}", json=body)
    assert (answer.status_code, answer.json()["place"]) == (422, place)


def test_a_batch_of_too_many_documents_is_refused(plans: Path):
    with client_of(app(plans, settings={"limits": {"documents": 1}})) as client:
        body = {"documents": [{"id": "a"}, {"id": "b"}]}
        answer = client.post("/v1/corpora/notes/documents", json=body)
        assert (answer.status_code, answer.json()["place"]) == (422, "body.documents")
        missing = client.post("/v1/corpora/nots/search", json={"query": "x"})
        assert missing.status_code == 404
        assert "notes" in missing.json()["valid"]


def test_bodies_that_come_at_the_same_time_are_bounded(plans: Path):
    with serving(app(plans, settings={"limits": {"receiving": 1}})) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as slow:
            slow.sendall(
                f"POST {ASSEMBLE} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                "content-length: 2\r\n\r\n{".encode()
            )
            until = time.monotonic() + 20
            answer = httpx.post(f"{address}{ASSEMBLE}", json={})
            while answer.status_code != 429 and time.monotonic() < until:
                answer = httpx.post(f"{address}{ASSEMBLE}", json={})
            assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
            slow.sendall(b"}")
            assert slow.recv(65_536).startswith(b"HTTP/1.1 200 ")


def test_without_keys_only_this_machine_may_ask():
    assert [is_loopback(each) for each in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "")] == [
        True
    ] * 4
    assert [is_loopback(each) for each in ("10.0.0.1", "::ffff:10.0.0.1", "evil")] == [False] * 3


def test_what_needs_a_user_is_refused_to_a_key_of_a_whole_workspace(plans: Path, tmp_path: Path):
    keys = KeyFile(tmp_path / "keys.json")
    headers = {"x-api-key": keys.create("acme", scopes=(KeyScope.ADMIN,)).key}
    settings = {"data": tmp_path / "data"}
    with client_of(app(plans, keys=keys, settings=settings), headers=headers) as client:
        for path, body in (
            ("/context/build", {"threadId": "t", "message": "x"}),
            ("/v1/workspace/build", {"query": "x"}),
        ):
            answer = client.post(path, json=body)
            assert answer.status_code == 403, answer.text
            assert "user" in answer.json()["fix"]


def test_failed_attempts_that_wait_are_bounded(plans: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("biblicus_context.service.authentication._FREE", 0)
    monkeypatch.setattr("biblicus_context.service.authentication._MOST_WAITING", 0)
    keys = KeyFile(tmp_path / "keys.json")
    keys.create("acme")
    with client_of(app(plans, keys=keys)) as client:
        answer = client.get("/v1/contexts", headers={"x-api-key": "bctx_guess_1"})
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "10")


def jwks(private: rsa.RSAPrivateKey, kid: str) -> str:
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private.public_key()))
    return json.dumps({"keys": [{**public, "kid": kid, "alg": "RS256"}]})


def test_public_keys_are_read_again_and_stay_while_their_file_is_broken(
    tmp_path: Path, monkeypatch, caplog
):
    monkeypatch.setattr("biblicus_context.service.web_tokens._LOOK_EVERY", 0.0)
    file = tmp_path / "jwks.json"
    old, new = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
    file.write_text(jwks(old, "old"), "utf-8")
    settings: dict[str, Any] = {"issuer": "i", "audience": "a", "jwks": file, "workspace": "acme"}
    tokens = WebTokens(WebTokenSettings.model_validate(settings))

    def signed(private: rsa.RSAPrivateKey, kid: str) -> str:
        claims = {"iss": "i", "aud": "a", "sub": "ann", "scope": ["read"], "exp": time.time() + 600}
        return jwt.encode(claims, private, algorithm="RS256", headers={"kid": kid})

    assert tokens.caller(signed(old, "old")) is not None
    file.write_text("{not json", "utf-8")
    assert tokens.caller(signed(old, "old")) is not None
    assert "the public keys are as they were" in caplog.text
    file.write_text(jwks(new, "new") + "\n", "utf-8")
    assert tokens.caller(signed(old, "old")) is None
    found = tokens.caller(signed(new, "new"))
    assert found is not None
    assert found.scopes == frozenset({KeyScope.READ})
    file.write_text("{not json", "utf-8")
    with pytest.raises(InputError, match=r"jwt\.jwks"):
        WebTokens(WebTokenSettings.model_validate(settings))


def test_a_provider_that_is_not_there_or_silent_is_a_problem_in_its_own_form(plans: Path):
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        for listening, status, code in (
            (silent, 504, "server_error"),
            (closed, 502, "server_error"),
        ):
            url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
            gateway = {"gateway": {"openai": {"url": url, "seconds": 0.2}}}
            with client_of(app(plans, settings=gateway)) as client:
                body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi."}]}
                answer = client.post("/v1/gateway/plain/chat/completions", json=body)
            assert (answer.status_code, answer.json()["error"]["type"]) == (status, code)


@pytest.mark.parametrize(
    "url", ["ftp://example.org", "http://", "https://user:secret@example.org", "example.org"]
)
def test_an_upstream_is_a_url_without_a_password(plans: Path, url: str):
    with pytest.raises(InputError, match=r"gateway\.openai\.url") as refused:
        app(plans, settings={"gateway": {"openai": {"url": url}}})
    assert "secret" not in str(refused.value)


def test_settings_that_cannot_be_read_are_named(plans: Path, tmp_path: Path):
    with pytest.raises(LoadError, match="cannot be read"):
        app(plans, settings=tmp_path / "missing.yaml")


def test_a_port_that_is_taken_is_named(plans: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"127.0.0.1:{port}"):
            serve(ServeSettings(paths=(plans,), port=port))


def test_a_key_that_cannot_be_is_not_made(tmp_path: Path):
    with pytest.raises(InputError, match="this is not a key"):
        KeyFile(tmp_path / "keys.json").create("")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(LoadError, match="cannot be read"):
        KeyFile(folder).all()
