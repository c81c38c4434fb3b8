"""A provider on loopback that records what it gets, and answers as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHAT = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "gpt-4o",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "It is on its way."}}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}  # fmt: skip
MESSAGE = {
    "id": "m1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
    "content": [{"type": "text", "text": "It is on its way."}], "stop_reason": "end_turn",
    "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
CHAT_STREAM = b"".join(
    b"data: " + json.dumps({
        "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o",
        "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}],
    }).encode() + b"\n\n"
    for piece in ("It is ", "on its way.")
) + b"data: [DONE]\n\n"  # fmt: skip


class Recorder:
    """What a provider got, and what it answers next."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.status = 200
        self.answer: bytes | None = None
        self.kind = "application/json"

    def reset(self) -> None:
        """Forget, and answer as usual."""
        self.__init__(self.url)  # type: ignore[misc]


@contextmanager
def recording() -> Iterator[Recorder]:
    """A provider that listens meanwhile."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            recorder.bodies.append(body)
            recorder.headers.append({k.lower(): v for k, v in self.headers.items()})
            usual = MESSAGE if self.path.endswith("/messages") else CHAT
            content = recorder.answer if recorder.answer is not None else json.dumps(usual).encode()
            self.send_response(recorder.status)
            self.send_header("content-type", recorder.kind)
            self.send_header("x-secret-of-upstream", "u")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    recorder = Recorder(f"http://127.0.0.1:{server.server_address[1]}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield recorder
    finally:
        server.shutdown()
        server.server_close()
