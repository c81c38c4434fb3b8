"""A server on this machine that answers as OpenAI's chat completions do, and keeps what it is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

ANSWER = "Within thirty days."


@dataclass
class FakeOpenAI:
    """Where it is, and the requests that have come in."""

    address: str
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def environment(self) -> Mapping[str, str]:
        """What sends litellm here instead of to OpenAI."""
        return {"OPENAI_API_KEY": "none", "OPENAI_API_BASE": self.address}


@contextmanager
def fake_openai() -> Iterator[FakeOpenAI]:
    """The server, for the time of a block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.fake = FakeOpenAI(f"http://127.0.0.1:{server.server_port}/v1")
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.fake.requests.append(asked)
        message = _answer(asked)
        if asked.get("stream"):
            self._stream(asked["model"], message)
        else:
            choice = {"index": 0, "message": message, "finish_reason": _reason(message)}
            self._send("application/json", json.dumps(_body(asked["model"], choice)).encode())

    def _stream(self, model: str, message: dict[str, Any]) -> None:
        calls = [{"index": 0, **call} for call in message.get("tool_calls", ())]
        delta = {**message, **({"tool_calls": calls} if calls else {})}
        parts = [(delta, None), ({}, _reason(message))]
        events = [
            _body(model, {"index": 0, "delta": delta, "finish_reason": reason}, ".chunk")
            for delta, reason in parts
        ]
        lines = [json.dumps(event) for event in events] + ["[DONE]"]
        self._send("text/event-stream", "".join(f"data: {line}\n\n" for line in lines).encode())

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


def _answer(asked: dict[str, Any]) -> dict[str, Any]:
    """A call of the first tool for a user's message, where there are tools; else the answer."""
    if not asked.get("tools") or asked["messages"][-1]["role"] != "user":
        return {"role": "assistant", "content": ANSWER}
    tool = asked["tools"][0]["function"]
    arguments = json.dumps(dict.fromkeys(tool["parameters"]["properties"], 7))
    function = {"name": tool["name"], "arguments": arguments}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _reason(message: dict[str, Any]) -> str:
    return "tool_calls" if "tool_calls" in message else "stop"


def _body(model: str, choice: dict[str, Any], kind: str = "") -> dict[str, Any]:
    usage = {} if kind else {"usage": dict.fromkeys(_COUNTED, 1)}
    return {
        "id": "fake",
        "object": f"chat.completion{kind}",
        "created": 1,
        "model": model,
        "choices": [choice],
        **usage,
    }


_COUNTED = ("prompt_tokens", "completion_tokens", "total_tokens")
