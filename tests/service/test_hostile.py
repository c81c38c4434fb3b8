"""Hostile HTTP: refused or harmless, and the server answers afterwards as before."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from biblicus_context.service import app
from tests.service.serving import client_of, serving

pytestmark = pytest.mark.enable_socket
POST = b"POST /v1/contexts/plain/assemble HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
SMUGGLED = b"GET /v1/corpora HTTP/1.1\r\nhost: localhost\r\n\r\n"
REFUSED = {
    "two lengths": POST + b"content-length: 2\r\ncontent-length: 40\r\n\r\n{}" + SMUGGLED,
    "a length and chunks": POST
    + b"content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"
    + SMUGGLED,
    "an encoding that is hidden": POST + b"transfer-encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "two encodings": POST + b"transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "a length that is no number": POST + b"content-length: +2\r\n\r\n{}",
    "a length below zero": POST + b"content-length: -1\r\n\r\n{}",
    "a header without a name": b"GET /healthz HTTP/1.1\r\n: x\r\nhost: localhost\r\n\r\n",
    "a space before the colon": b"GET /healthz HTTP/1.1\r\nhost : localhost\r\n\r\n",
    "a null in a header": b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: a\x00b\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n",
    "another host": b"GET /healthz HTTP/1.1\r\nhost: evil.example\r\n\r\n",
    "an address as path": b"GET http://evil.example/healthz HTTP/1.1\r\nhost: evil.example\r\n\r\n",
    "not HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n",
    "an unknown version": b"GET /healthz HTTP/9.9\r\nhost: localhost\r\n\r\n",
    "huge headers": b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: "
    + b"a" * 100_000
    + b"\r\n\r\n",
    "many headers": b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n"
    + b"x: y\r\n" * 10_000
    + b"\r\n",
    "a chunk longer than any number": POST
    + b"transfer-encoding: chunked\r\n\r\n"
    + b"f" * 40
    + b"\r\n{}\r\n0\r\n\r\n",
    "a chunk below zero": POST + b"transfer-encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
    "a line in a chunk's extension": POST
    + b'transfer-encoding: chunked\r\n\r\n2;a="b\r\n"\r\n{}\r\n0\r\n\r\n',
    "an empty length": POST + b"content-length: \r\n\r\n{}",
    "a length of many digits": POST + b"content-length: " + b"9" * 500 + b"\r\n\r\n{}",
    "a null in a path": b"GET /v1/\x00 HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "a path that is not ASCII": b"GET /v1/\xc3\xa9 HTTP/1.1\r\nhost: localhost\r\n\r\n",
    "a host with a user": b"GET /healthz HTTP/1.1\r\nhost: localhost@evil.example\r\n\r\n",
    "the beginning of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a long path": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n",
}


@pytest.fixture(scope="module")
def address(plans: Path) -> Iterator[str]:
    with serving(
        app(plans, settings={"limits": {"body_seconds": 1, "header_seconds": 1}})
    ) as found:
        yield found


def sent(address: str, content: bytes) -> bytes:
    """All that the server answers before it closes, or is silent for a while."""
    host, port = address.removeprefix("http://").split(":")
    answer = b""
    with socket.create_connection((host, int(port)), timeout=0.7) as connection:
        try:
            connection.sendall(content)
            while piece := connection.recv(65_536):
                answer += piece
        except (TimeoutError, ConnectionError):
            pass
    return answer


@pytest.mark.parametrize("name", REFUSED)
def test_a_request_of_a_hostile_shape_is_refused(address: str, name: str):
    answer = sent(address, REFUSED[name])
    statuses = [line.split()[1] for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
    assert all(status.startswith((b"4", b"501")) for status in statuses), answer[:300]
    assert b"corpora" not in answer  # nothing that was smuggled was answered
    assert httpx.get(f"{address}/healthz").status_code == 200


HARMLESS = {
    "lines without a return": b"GET /healthz HTTP/1.1\nhost: localhost\n\n",
    "a header on two lines": b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: a\r\n b\r\n\r\n",
    "a body of a GET": b"GET /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n%s"
    % (len(SMUGGLED), SMUGGLED),
    "chunks in HTTP/1.0": POST.replace(b"HTTP/1.1", b"HTTP/1.0")
    + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    + SMUGGLED,
    "a long extension of a chunk": POST
    + b"transfer-encoding: chunked\r\n\r\n2;"
    + b"a" * 50_000
    + b"\r\n{}\r\n0\r\n\r\n",
    "trailers": POST + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx: y\r\n\r\n",
    "a wish for WebSocket": b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_request_of_an_odd_shape_is_one_request(address: str, name: str, caplog):
    answer = sent(address, HARMLESS[name])
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.count(b"x-request-id") == 1
    assert b"corpora" not in answer
    assert "WebSocket" not in caplog.text


def test_a_method_that_nobody_knows_is_refused_and_not_in_the_log(address: str, caplog):
    caplog.set_level("INFO")
    answer = sent(address, b"A" * 20_000 + b" /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 501 ")
    until = time.monotonic() + 20
    ours: list[dict[str, Any]] = []
    while not ours and time.monotonic() < until:  # it is written after the answer
        logged = [vars(each) for each in caplog.records]
        ours = [each for each in logged if each.get("status") == 501]
    assert {each["method"] for each in ours} == {"unknown"}
    assert "AAAA" not in str(ours)


def test_a_client_that_does_not_read_holds_no_thread(address: str):
    host, port = address.removeprefix("http://").split(":")
    held = []
    for _ in range(4):  # more than there are threads
        connection = socket.create_connection((host, int(port)), timeout=5)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n" * 20)
        held.append(connection)
    made = httpx.post(f"{address}/v1/contexts/plain/assemble", json={}, timeout=20)
    assert made.status_code == 200
    for connection in held:
        connection.close()


def test_a_client_that_stops_sending_or_reading_holds_nothing(address: str):
    host, port = address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=5)
    connection.sendall(POST + b"content-length: 100\r\n\r\n{")
    connection.shutdown(socket.SHUT_WR)
    connection.close()
    half = socket.create_connection((host, int(port)), timeout=5)
    half.sendall(b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n")
    half.close()
    assert httpx.get(f"{address}/healthz").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/v1/contexts/../../etc/passwd", "/v1/contexts/%2e%2e/assemble", "//evil.example/",
        "/v1/contexts/plain/", "/v1/contexts/plain%00", "/v1/contexts/plain;x=1", "/docs/..",
        "/openapi.json%0d%0aset-cookie:x=1", "/%c0%ae%c0%ae/", "/v1/contexts/plain?x=1",
    ],
)  # fmt: skip
def test_a_path_is_a_name_and_never_a_place(address: str, path: str):
    answer = sent(address, f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    assert answer.startswith(tuple(b"HTTP/1.1 %d" % each for each in (400, 404, 405, 422))), answer[
        :200
    ]
    assert b"set-cookie" not in answer.lower().partition(b"\r\n\r\n")[0]
    assert b"location" not in answer.lower().partition(b"\r\n\r\n")[0]


def test_only_pages_that_are_named_may_ask(plans: Path):
    settings = {"origins": ["https://app.example"]}
    with client_of(app(plans, settings=settings)) as client:
        own = {"origin": "https://app.example", "access-control-request-method": "POST"}
        allowed = client.options("/v1/contexts/plain/assemble", headers=own)
        assert allowed.status_code == 204
        assert allowed.headers["access-control-allow-origin"] == "https://app.example"
        assert "access-control-allow-credentials" not in allowed.headers
        assert "traceparent" in allowed.headers["access-control-allow-headers"]
        for origin in ("https://evil.example", "https://app.example.evil.example", "null"):
            asked = client.options("/v1/contexts", headers={**own, "origin": origin})
            assert asked.status_code == 403
            assert "access-control-allow-origin" not in asked.headers
        page = client.get("/v1/contexts", headers={"origin": "https://app.example"})
        assert page.headers["vary"] == "origin"


def test_deep_json_and_large_numbers_end_soon(address: str):
    for content in (
        b"[" * 200_000,
        b'{"inputs":{"a":' + b"[" * 500 + b"]" * 500 + b"}}",
        b'{"inputs":{"a":' + b"9" * 100_000 + b"}}",
        b'{"inputs":{"a":1e999}}',
        b'{"inputs":{"a":"' + b"\\u0000" * 1_000 + b'"}}',
    ):
        answer = httpx.post(
            f"{address}/v1/contexts/plain/assemble",
            content=content,
            headers={"content-type": "application/json"},
        )
        assert answer.status_code in (200, 400, 422), answer.text[:200]
