"""The gateway: official clients of providers change their base URL, and get the messages of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import anthropic
import httpx
import openai
import pytest

from biblicus_context import ContextAssembler
from biblicus_context.errors import InputError
from biblicus_context.service import KeyFile, app
from tests.service.serving import serving
from tests.service.upstream import CHAT_STREAM, Recorder, recording

pytestmark = pytest.mark.enable_socket
PLAN = """
kind: context
name: desk
policy: {input_budget: {max_tokens: 120}}
inputs:
  question: {type: string}
  tone: {type: string, default: kind}
messages:
  - {type: system, content: "Be {input.tone}.", cache: true}
  - {type: context, name: kb}
  - {type: history}
  - {type: user, content: "Question: {input.question}"}
---
kind: retriever
name: kb
---
kind: context
name: roomy
policy: {input_budget: {max_tokens: 2000}}
inputs: [question]
messages:
  - {type: system, content: "Be kind.", cache: true}
  - {type: history}
  - {type: user, content: "Question: {input.question}"}
---
kind: context
name: plain
"""
KEYS = {"BCTX_TEST_OPENAI": "sk-upstream-openai", "BCTX_TEST_ANTHROPIC": "sk-ant-upstream"}


class Desk:
    """A served gateway, and what its provider got."""

    def __init__(self, address: str, key: str, upstream: Recorder) -> None:
        self.address, self.key, self.upstream = address, key, upstream
        self.opened = ExitStack()

    def openai(self, name: str = "desk") -> openai.OpenAI:
        url = f"{self.address}/v1/gateway/{name}"
        client = openai.OpenAI(base_url=url, api_key=self.key, max_retries=0)
        return self.opened.enter_context(client)

    def anthropic(self, name: str = "desk") -> anthropic.Anthropic:
        url = f"{self.address}/v1/gateway/{name}"
        client = anthropic.Anthropic(base_url=url, api_key=self.key, max_retries=0)
        return self.opened.enter_context(client)


@pytest.fixture(scope="module")
def _desk(tmp_path_factory) -> Iterator[Desk]:
    place = tmp_path_factory.mktemp("gateway")
    (place / "plan.yaml").write_text(PLAN, "utf-8")
    key = KeyFile(place / "keys.json").create("acme", user="ann").key
    patch = pytest.MonkeyPatch()
    for name, value in KEYS.items():
        patch.setenv(name, value)
    with recording() as upstream:
        gateway = {
            "openai": {"url": f"{upstream.url}/v1", "key_variable": "BCTX_TEST_OPENAI"},
            "anthropic": {"url": upstream.url, "key_variable": "BCTX_TEST_ANTHROPIC"},
        }
        made = app(
            place / "plan.yaml",
            keys=place / "keys.json",
            settings={"gateway": gateway},
            retriever_functions={"kb": lambda request: [f"Evidence for {request.query}"]},
        )
        with serving(made) as address:
            yield Desk(address, key, upstream)
    patch.undo()


@pytest.fixture
def desk(_desk: Desk) -> Iterator[Desk]:
    _desk.upstream.reset()
    with _desk.opened:
        yield _desk


def asked(words: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": words}]


def test_the_openai_client_gets_a_plan_by_its_base_url(desk: Desk):
    answer = desk.openai().chat.completions.with_raw_response.create(
        model="gpt-4o", messages=asked("Where is it?"), temperature=0.5, seed=7
    )
    assert answer.parse().choices[0].message.content == "It is on its way."
    (sent,) = desk.upstream.bodies
    assert sent["messages"][0] == {
        "role": "system", "content": "Be kind.\n\nEvidence for Where is it?",
    }  # fmt: skip
    assert sent["messages"][-1]["content"] == "Question: Where is it?"
    assert (sent["temperature"], sent["seed"], sent["model"]) == (0.5, 7, "gpt-4o")
    where = f"{desk.address}/v1/receipts/{answer.headers['x-receipt-id']}"
    receipt = httpx.get(where, headers={"x-api-key": desk.key}).json()
    assert (receipt["context"], receipt["budget"]) == ("desk", 120)
    assert "x-secret-of-upstream" not in answer.headers


def test_keys_never_cross(desk: Desk):
    desk.openai().chat.completions.create(model="gpt-4o", messages=asked("Hi."))
    desk.anthropic().messages.create(model="claude-opus-4-6", max_tokens=9, messages=asked("Hi."))
    first, second = desk.upstream.headers
    assert first["authorization"] == "Bearer sk-upstream-openai"
    assert second["x-api-key"] == "sk-ant-upstream"
    assert desk.key not in str(desk.upstream.headers)
    desk.upstream.status = 400
    desk.upstream.answer = b'{"error": {"message": "you sent sk-upstream-openai"}}'
    with pytest.raises(openai.BadRequestError) as raised:
        desk.openai().chat.completions.create(model="gpt-4o", messages=asked("Hi."))
    assert "sk-upstream" not in str(raised.value.body)
    desk.upstream.status = 401
    desk.upstream.answer = b'{"error": {"message": "Incorrect API key: sk-up***nai"}}'
    with pytest.raises(openai.APIStatusError) as refused:
        desk.openai().chat.completions.create(model="gpt-4o", messages=asked("Hi."))
    assert refused.value.status_code == 502
    assert "sk-up" not in str(refused.value.body)


def test_inputs_of_the_plan_come_with_the_request(desk: Desk):
    desk.openai().chat.completions.create(
        model="gpt-4o", messages=asked("Hi."), extra_body={"inputs": {"tone": "brief"}}
    )
    (sent,) = desk.upstream.bodies
    assert sent["messages"][0]["content"].startswith("Be brief.")
    assert "inputs" not in sent


def test_a_stream_is_passed_byte_by_byte(desk: Desk):
    desk.upstream.answer, desk.upstream.kind = CHAT_STREAM, "text/event-stream"
    stream = desk.openai().chat.completions.create(
        model="gpt-4o", messages=asked("Hi."), stream=True
    )
    pieces = [each.choices[0].delta.content for each in stream]
    assert "".join(filter(None, pieces)) == "It is on its way."
    raw = httpx.post(
        f"{desk.address}/v1/gateway/desk/chat/completions",
        json={"model": "gpt-4o", "messages": asked("Hi."), "stream": True},
        headers={"authorization": f"Bearer {desk.key}"},
    )
    assert raw.content == CHAT_STREAM
    assert raw.headers["content-type"] == "text/event-stream"
    assert desk.upstream.bodies[0]["stream"] is True


def test_the_history_is_trimmed_and_calls_of_tools_stay_at_the_end(desk: Desk):
    call = {"id": "t1", "type": "function", "function": {"name": "track", "arguments": "{}"}}
    messages = [
        *(
            {"role": role, "content": f"{role} {number} said many words about lamps and parcels."}
            for number in range(20)
            for role in ("user", "assistant")
        ),
        {"role": "user", "content": "Where is it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": "It left on Monday."},
    ]
    desk.openai().chat.completions.create(model="gpt-4o", messages=messages)
    (sent,) = desk.upstream.bodies
    assert [each["role"] for each in sent["messages"][-3:]] == ["user", "assistant", "tool"]
    assert sent["messages"][-3]["content"] == "Question: Where is it?"
    assert len(sent["messages"]) < 12
    recounted = ContextAssembler({"all": {"messages": [{"type": "history"}]}}).assemble(
        "all", history=sent["messages"], model="gpt-4o"
    )
    assert recounted.token_count <= 120


def test_the_anthropic_client_gets_a_plan_with_cache_marks(desk: Desk):
    tool = {"name": "track", "description": "Track.", "input_schema": {"type": "object"}}
    answer = desk.anthropic("roomy").messages.create(
        model="claude-opus-4-6", max_tokens=100, system="Ignored by this plan.",
        messages=asked("Where is it?"), tools=[tool, {"type": "web_search_20250305", "name": "web_search"}],
    )  # fmt: skip
    assert answer.content[0].text == "It is on its way."
    (sent,) = desk.upstream.bodies
    assert sent["system"][0]["text"].startswith("Be kind.")
    assert sent["system"][0]["cache_control"]
    assert sent["messages"][-1]["content"][0]["text"] == "Question: Where is it?"
    assert [each["name"] for each in sent["tools"]] == ["track", "web_search"]
    assert desk.upstream.headers[0]["anthropic-version"]


def test_tool_results_of_anthropic_stay_at_the_end(desk: Desk):
    messages = [
        {"role": "user", "content": "Where is it?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "track", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "Left."}]},
    ]  # fmt: skip
    tool = {"name": "track", "input_schema": {"type": "object"}}
    desk.anthropic("roomy").messages.create(
        model="claude-opus-4-6", max_tokens=100, messages=messages, tools=[tool]
    )
    said = desk.upstream.bodies[0]["messages"]
    assert [each["role"] for each in said] == ["user", "assistant", "user"]
    assert said[-1]["content"][0]["type"] == "tool_result"


def test_a_budget_that_cannot_hold_is_the_providers_own_error(desk: Desk):
    long = asked("words " * 500)
    with pytest.raises(openai.BadRequestError) as raised:
        desk.openai().chat.completions.create(model="gpt-4o", messages=long)
    assert raised.value.code == "context_length_exceeded"
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long"):
        desk.anthropic().messages.create(model="claude-opus-4-6", max_tokens=9, messages=long)
    assert desk.upstream.bodies == []


def test_errors_have_the_form_of_the_provider(desk: Desk):
    with pytest.raises(openai.NotFoundError, match="no such context"):
        desk.openai("nothing").chat.completions.create(model="gpt-4o", messages=asked("Hi."))
    desk_without = Desk(desk.address, "bctx_wrong_key", desk.upstream)
    with pytest.raises(openai.AuthenticationError):
        desk_without.openai().chat.completions.create(model="gpt-4o", messages=asked("Hi."))
    with pytest.raises(anthropic.AuthenticationError):
        desk_without.anthropic().messages.create(
            model="claude-opus-4-6", max_tokens=9, messages=asked("Hi.")
        )
    desk_without.opened.close()
    desk.upstream.status, desk.upstream.answer = 429, b'{"error": {"message": "slow down"}}'
    with pytest.raises(openai.RateLimitError, match="slow down"):
        desk.openai().chat.completions.create(model="gpt-4o", messages=asked("Hi."))


def test_a_plan_without_messages_passes_a_conversation_through(desk: Desk):
    messages = [{"role": "system", "content": "Be brief."}, *asked("Where is it?")]
    desk.openai("plain").chat.completions.create(model="gpt-4o", messages=messages)
    assert desk.upstream.bodies[0]["messages"] == messages


def test_a_model_that_nobody_knows_is_counted_by_the_policy(desk: Desk):
    desk.openai().chat.completions.create(model="our-own-model", messages=asked("Hi."))
    assert desk.upstream.bodies[0]["model"] == "our-own-model"


def test_a_picture_is_sent_as_it_is(desk: Desk):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    content = [{"type": "text", "text": "What is it?"}, picture]
    desk.openai("plain").chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": content}]
    )
    assert picture in desk.upstream.bodies[0]["messages"][-1]["content"]


def test_an_upstream_without_its_key_is_an_error_at_the_start(tmp_path: Path):
    (tmp_path / "plan.yaml").write_text("kind: context\nname: a\n", "utf-8")
    gateway = {"openai": {"url": "https://api.example/v1", "key_variable": "BCTX_NOT_SET"}}
    with pytest.raises(InputError, match="BCTX_NOT_SET"):
        app(tmp_path / "plan.yaml", settings={"gateway": gateway})


def test_openai_gets_breakpoints_where_the_operator_has_models_that_take_them(tmp_path: Path):
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    with recording() as upstream:
        gateway = {"openai": {"url": f"{upstream.url}/v1", "breakpoints": True}}
        made = app(tmp_path / "plan.yaml", settings={"gateway": gateway})
        with (
            serving(made) as address,
            openai.OpenAI(
                base_url=f"{address}/v1/gateway/roomy", api_key="none", max_retries=0
            ) as client,
        ):
            client.chat.completions.create(model="gpt-5.6", messages=asked("Where is it?"))
        (sent,) = upstream.bodies
    (system,) = sent["messages"][0]["content"]
    assert system == {
        "type": "text", "text": "Be kind.", "prompt_cache_breakpoint": {"mode": "explicit"},
    }  # fmt: skip
    assert sent["messages"][-1]["content"] == "Question: Where is it?"


def test_what_a_provider_compacted_and_how_it_manages_its_context_is_passed_on(desk: Desk):
    """Its own summary of what was before is a block of the model, which only the provider reads."""
    summary = {"type": "compaction", "content": "They asked about lamps."}
    management = {"edits": [{"type": "compact_20260112"}]}
    said = [
        *asked("Hello."),
        {"role": "assistant", "content": [summary, {"type": "text", "text": "Hello."}]},
        *asked("Where is it?"),
    ]
    desk.anthropic("roomy").messages.create(
        model="claude-opus-4-6", max_tokens=100, messages=said,
        extra_body={"context_management": management},
    )  # fmt: skip
    (sent,) = desk.upstream.bodies
    assert sent["context_management"] == management
    assert summary in sent["messages"][1]["content"]
