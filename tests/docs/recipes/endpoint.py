"""A server that speaks as OpenAI and Anthropic do, refuses what they refuse, and keeps it all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tests.docs.recipes import anthropic_messages, openai_chat
from tests.docs.recipes.refusal import RefusedError

Answer = Callable[[Mapping[str, Any], Mapping[str, str]], dict[str, Any]]
_ANSWERS: Final[Mapping[str, Answer]] = {
    openai_chat.PATH: openai_chat.answer,
    anthropic_messages.PATH: anthropic_messages.answer,
}


@dataclass
class Endpoint:
    """Where it is, what it was sent, and what it refused."""

    address: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    is_down: bool = False

    @property
    def environment(self) -> dict[str, str]:
        """What makes the official SDKs turn here."""
        return {
            "OPENAI_BASE_URL": f"{self.address}/v1",
            "OPENAI_API_KEY": "sk-none",
            "ANTHROPIC_BASE_URL": self.address,
            "ANTHROPIC_API_KEY": "sk-none",
        }

    def answer(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Any:
        """A status, and what an API says with it."""
        if self.is_down:
            return 403, {"error": {"type": "permission_error", "message": "closed"}}
        self.requests.append(body)
        try:
            return 200, _ANSWERS[path](body, headers)
        except RefusedError as error:
            self.refused.append(str(error))
            return 400, {"error": {"type": "invalid_request_error", "message": str(error)}}


@contextmanager
def endpoint() -> Iterator[Endpoint]:
    """A running one; it is gone afterwards."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = found.answer(self.path, body, self.headers)
            written = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(written)))
            self.end_headers()
            self.wfile.write(written)

        def log_message(self, *_: object) -> None:
            """Say nothing on the terminal."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

    with Quiet(("127.0.0.1", 0), Handler) as http:
        found = Endpoint(f"http://127.0.0.1:{http.server_port}")
        threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        yield found
        http.shutdown()
