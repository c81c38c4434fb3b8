"""What a request may cost: time, bodies, how many at once, how often, and no more than once."""

from __future__ import annotations

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import httpx
import pytest

from biblicus_context.service import KeyFile, KeyScope, app
from tests.service.serving import client_of, serving

pytestmark = pytest.mark.enable_socket
SLOW = """
kind: context
name: slow
messages: [{type: context, name: waits}, {type: user, content: Hello.}]
---
kind: context
name: quick
messages: [{type: user, content: Hello.}]
---
kind: retriever
name: waits
---
kind: corpus
name: notes
config: {store: store}
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "plan.yaml").write_text(SLOW, "utf-8")
    return tmp_path / "plan.yaml"


def test_a_request_has_a_deadline_that_its_retrievers_know(place: Path):
    never, ended = Event(), Event()

    def waits(request):
        never.wait(30)
        ended.set()
        return []

    settings = {"limits": {"seconds": 0.3, "threads": 1}}
    made = app(place, retriever_functions={"waits": waits}, settings=settings)
    with client_of(made) as client:
        began = time.perf_counter()
        answer = client.post("/v1/contexts/slow/assemble", json={})
        assert answer.status_code == 504
        assert answer.json()["type"] == "urn:biblicus-context:problem:no-answer-in-time"
        assert time.perf_counter() - began < 5
        # The thread is free again, although the retriever still waits.
        for _ in range(100):
            if made.state.service.workers.in_flight == 0:
                break
            time.sleep(0.02)
        assert not ended.is_set()
        assert client.post("/v1/contexts/quick/assemble", json={}).status_code == 200
        never.set()


def test_a_busy_server_refuses_and_recovers(place: Path):
    never = Event()
    made = app(
        place,
        retriever_functions={"waits": lambda request: never.wait(20) and None},
        settings={"limits": {"threads": 1, "in_flight": 2, "seconds": 25}},
    )
    with serving(made) as address, ThreadPoolExecutor(8) as threads:

        def ask(_: int) -> httpx.Response:
            return httpx.post(f"{address}/v1/contexts/slow/assemble", json={}, timeout=30)

        asked = [threads.submit(ask, number) for number in range(8)]
        until = time.monotonic() + 10
        while sum(each.done() for each in asked) < 6 and time.monotonic() < until:
            time.sleep(0.02)
        early = [each.result() for each in asked if each.done()]
        assert [each.status_code for each in early] == [429] * 6
        assert all(int(each.headers["retry-after"]) >= 1 for each in early)
        assert httpx.get(f"{address}/healthz").status_code == 200
        never.set()
        assert sorted(each.result().status_code for each in asked) == [200, 200] + [429] * 6
        assert httpx.post(f"{address}/v1/contexts/quick/assemble", json={}).status_code == 200


def test_a_key_has_its_rate(place: Path, tmp_path: Path):
    keys = KeyFile(tmp_path / "keys.json")
    one, two = ({"x-api-key": keys.create("acme").key} for _ in range(2))
    settings = {"limits": {"requests_a_minute": 3}}
    with client_of(app(place, keys=keys, settings=settings)) as client:

        def ask(headers) -> httpx.Response:
            return client.post("/v1/contexts/quick/assemble", json={}, headers=headers)

        assert [ask(one).status_code for _ in range(4)] == [200, 200, 200, 429]
        refused = ask(one)
        assert int(refused.headers["retry-after"]) >= 10
        assert refused.json()["type"] == "urn:biblicus-context:problem:too-many-requests"
        assert ask(two).status_code == 200
        assert client.get("/v1/contexts", headers=one).status_code == 429
        health = [client.get("/healthz").status_code for _ in range(5)]
        assert health == [200] * 5  # a balancer has no key


def test_a_write_that_comes_twice_is_done_once(place: Path, tmp_path: Path):
    keys = KeyFile(tmp_path / "keys.json")
    scopes = (KeyScope.READ, KeyScope.WRITE)
    one, two = (
        {"x-api-key": keys.create(name, scopes=scopes).key, "idempotency-key": "k-1"}
        for name in ("acme", "blue")
    )
    path = "/v1/corpora/notes/documents/a"
    with client_of(app(place, keys=keys)) as client:
        first = client.put(path, json={"text": "One."}, headers=one)
        again = client.put(path, json={"text": "One."}, headers=one)
        assert first.status_code == again.status_code == 200
        assert first.content == again.content
        assert again.headers["idempotency-replayed"] == "true"
        other = client.put(path, json={"text": "Two."}, headers=one)
        assert other.status_code == 422
        elsewhere = client.put(path, json={"text": "One."}, headers=two)
        assert elsewhere.status_code == 200
        assert "idempotency-replayed" not in elsewhere.headers
        bad = client.put(path, json={"text": "One."}, headers={**one, "idempotency-key": "a" * 300})
        assert bad.status_code == 422


def test_without_redis_one_of_several_workers_takes_no_idempotency_key(place: Path):
    with client_of(app(place, is_alone=False)) as client:
        path = "/v1/corpora/notes/documents/a"
        refused = client.put(path, json={"text": "A."}, headers={"idempotency-key": "k"})
        assert refused.status_code == 422
        assert "redis" in refused.json()["fix"]
        assert client.put(path, json={"text": "A."}).status_code == 200


def test_a_failed_write_may_be_tried_again_with_the_same_key(place: Path):
    with client_of(app(place)) as client:
        path, headers = "/v1/corpora/notes/documents", {"idempotency-key": "k"}
        bad = {"documents": [{"id": "a", "superseded_by": "a"}], "remove": ["a"]}
        refused = client.post(path, json=bad, headers=headers)
        assert refused.status_code in (200, 422)
        again = client.post(path, json=bad, headers=headers)
        assert again.status_code == refused.status_code


def test_a_body_that_does_not_come_is_not_waited_for(place: Path):
    settings = {"limits": {"body_seconds": 0.3, "header_seconds": 0.3}}
    with serving(app(place, settings=settings)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as slow:
            slow.sendall(
                b"POST /v1/contexts/quick/assemble HTTP/1.1\r\nhost: localhost\r\n"
                b"content-type: application/json\r\ncontent-length: 10\r\n\r\n{"
            )
            assert b" 408 " in slow.recv(4096)
        with socket.create_connection((host, int(port)), timeout=10) as slow:
            slow.sendall(b"GET /healthz HTTP/1.1\r\nhost: loc")
            assert slow.recv(4096) == b""
        with socket.create_connection((host, int(port)), timeout=10) as silent:
            assert silent.recv(4096) == b""


def test_connections_beyond_the_limit_are_closed(place: Path):
    with serving(app(place, settings={"limits": {"connections": 2}})) as address:
        host, port = address.removeprefix("http://").split(":")
        held = [socket.create_connection((host, int(port)), timeout=10) for _ in range(2)]
        time.sleep(0.2)
        with pytest.raises((ConnectionError, httpx.TransportError)):
            httpx.get(f"{address}/healthz").raise_for_status()
        for each in held:
            each.close()
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                assert httpx.get(f"{address}/healthz").status_code == 200
                break
            except httpx.TransportError:
                time.sleep(0.05)
        assert threading.active_count() < 100


def test_an_answer_does_not_wait_for_an_acknowledgement(place: Path):
    """Forty milliseconds, if the end of an answer is held back until its beginning has arrived."""
    with serving(app(place)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            seconds = []
            for _ in range(30):
                began = time.perf_counter()
                connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
                answer = b""
                while b"alive" not in answer:
                    answer += connection.recv(4096)
                seconds.append(time.perf_counter() - began)
    assert min(seconds) < 0.03
