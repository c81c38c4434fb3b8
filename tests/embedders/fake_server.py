"""A server of the embeddings protocol on this machine, which fails on demand."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class FakeServer:
    """What it was asked, and what it does next before it goes on answering properly."""

    url: str = ""
    dimensions: int = 4
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    next: list[Answer] = field(default_factory=list)

    def vector(self, text: str) -> list[float]:
        return [float(len(text)), *([1.0] * (self.dimensions - 1))]


def say(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def status(code: int, body: bytes = b"{}", **headers: str) -> Answer:
    return lambda handler, _: say(handler, code, body, **headers)


def hang_up(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.connection.close()


def cut_short(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.wfile.flush()
    handler.connection.close()


def dribble(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        try:
            handler.wfile.write(b" ")
            handler.wfile.flush()
        except OSError:
            return
        time.sleep(0.05)


def be_silent(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    time.sleep(1)


def answer(server: FakeServer, **changes: Any) -> Answer:
    """A good answer with some of it changed."""

    def give(handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        data = [
            {"object": "embedding", "index": index, "embedding": server.vector(text)}
            for index, text in enumerate(asked["input"])
        ]
        data.reverse()  # servers need not keep the order
        say(handler, 200, json.dumps({"object": "list", "data": data, **changes}).encode())

    return give


@contextmanager
def fake_server() -> Iterator[FakeServer]:
    """A running server; it is gone afterwards."""
    server = FakeServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(asked)
            server.keys.append(self.headers.get("Authorization"))
            (server.next.pop(0) if server.next else answer(server))(self, asked)

        def log_message(self, *_: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass

    with Quiet(("127.0.0.1", 0), Handler) as http:
        server.url = f"http://127.0.0.1:{http.server_port}/v1"
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        http.shutdown()
