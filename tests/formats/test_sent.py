"""Sent through the official clients to a server on this machine, a conversation arrives as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from biblicus_context.formats import (
    history_from_anthropic,
    history_from_gemini,
    history_from_openai,
    history_from_openai_responses,
    to_anthropic,
    to_gemini,
    to_openai,
    to_openai_responses,
    tools_for,
)
from tests.formats import sdks
from tests.formats.strategies import PNG, image_part, text_part

pytestmark = pytest.mark.enable_socket

TOOL = {
    "type": "function",
    "function": {
        "name": "track",
        "description": "Where a parcel is.",
        "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}},
    },
}
CONVERSATION = [
    {"role": "system", "content": "You are a support agent.\n\nBe brief."},
    {
        "role": "user",
        "content": [text_part("Straße 7 🚚?"), image_part(f"data:image/png;base64,{PNG}")],
    },
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "track", "arguments": '{"id":7,"note":null}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": '{"days":3}'},
    {"role": "user", "content": "When?"},
]
CHAT_ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "Soon.", "refusal": None},
        }
    ],
}
RESPONSES_ANSWER = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Soon.", "annotations": []}],
        },
    ],
}
ANTHROPIC_ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
    "content": [
        {"type": "thinking", "thinking": "", "signature": "EqQB"},
        {"type": "text", "text": "Soon.", "citations": None},
        {"type": "tool_use", "id": "toolu_1", "name": "track", "input": {"id": None}},
    ],
}
GEMINI_ANSWER = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [
                    {"text": "Hm.", "thought": True},
                    {
                        "functionCall": {"name": "track", "args": {"id": None}},
                        "thoughtSignature": "c2ln",
                    },
                ],
            }
        }
    ]
}


class Server:
    """Keeps what it was asked, and gives the same answer to everything."""

    def __init__(self) -> None:
        self.answer: dict[str, Any] = {}
        self.bodies: list[dict[str, Any]] = []
        keeper = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                keeper.bodies.append(json.loads(self.rfile.read(length)))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(keeper.answer).encode())

            def log_message(self, *args: Any) -> None:
                """Quietly."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    running = Server()
    yield running
    running.close()


def test_openais_client_sends_chat_messages_and_its_answer_goes_into_the_history(server):
    server.answer = CHAT_ANSWER
    messages = to_openai([*CONVERSATION[:3], {**CONVERSATION[3], "content": "Three days."}])
    with sdks.openai.OpenAI(base_url=server.url, api_key="none") as client:
        answer = client.chat.completions.create(
            model="m", messages=messages, tools=tools_for("openai", [TOOL])
        )
    assert server.bodies == [{"model": "m", "messages": messages, "tools": [TOOL]}]
    history = history_from_openai([*messages, answer.choices[0].message])
    assert history[-1] == {"role": "assistant", "content": "Soon."}


def test_openais_client_sends_items_and_its_output_goes_back_in(server):
    server.answer = RESPONSES_ANSWER
    items = to_openai_responses(CONVERSATION)
    with sdks.openai.OpenAI(base_url=server.url, api_key="none") as client:
        answer = client.responses.create(
            model="m", input=items, tools=tools_for("openai_responses", [TOOL])
        )
        history = history_from_openai_responses([*items, *answer.output])
        again = to_openai_responses([*history, {"role": "user", "content": "Thanks."}])
        client.responses.create(model="m", input=again)
    assert server.bodies[0]["input"] == items
    assert history[:-1] == CONVERSATION
    assert server.bodies[1]["input"] == [
        *items,
        *RESPONSES_ANSWER["output"],
        {"type": "message", "role": "user", "content": "Thanks."},
    ]


def test_anthropics_client_sends_messages_and_its_blocks_go_back_in(server):
    server.answer = ANTHROPIC_ANSWER
    arguments = to_anthropic(CONVERSATION, tools=[TOOL], ttl="1h")
    with sdks.anthropic.Anthropic(base_url=server.url, api_key="none") as client:
        answer = client.messages.create(model="m", max_tokens=9, **arguments)
    (body,) = server.bodies
    assert body == {"model": "m", "max_tokens": 9, **arguments}
    assert history_from_anthropic(body["messages"], body["system"]) == CONVERSATION
    history = history_from_anthropic([*body["messages"], answer], body["system"])
    said = {"role": "assistant", "content": answer.content}
    assert history == history_from_anthropic([*body["messages"], said], body["system"])
    result = {"role": "tool", "tool_call_id": "toolu_1", "content": "gone"}
    sent = to_anthropic([*history, result], cache="off")
    assert sent["messages"][-2]["content"] == [
        {"type": "thinking", "thinking": "", "signature": "EqQB"},
        {"type": "text", "text": "Soon."},
        {"type": "tool_use", "id": "toolu_1", "name": "track", "input": {"id": None}},
    ]


def test_geminis_client_sends_contents_and_its_content_goes_back_in(server):
    server.answer = GEMINI_ANSWER
    arguments = to_gemini(CONVERSATION, tools=[TOOL])
    options = {"base_url": server.url}
    with sdks.genai.Client(api_key="none", http_options=options) as client:
        answer = client.models.generate_content(model="m", **arguments)
    (body,) = server.bodies
    assert history_from_gemini(body["contents"], body["systemInstruction"]) == CONVERSATION
    assert body["tools"][0]["functionDeclarations"][0]["name"] == "track"
    history = history_from_gemini([*body["contents"], answer.candidates[0].content])
    assert history[-1] == {
        "role": "assistant",
        "content": [{"text": "Hm.", "thought": True}],
        "tool_calls": [
            {
                "id": "call-4-1",
                "type": "function",
                "function": {"name": "track", "arguments": '{"id":null}'},
                "thought_signature": "c2ln",
            }
        ],
    }
