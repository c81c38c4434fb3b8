"""The recipes are whole programs, which run as they stand against an endpoint on this machine."""

from __future__ import annotations

import re
import runpy
import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
import yaml

from biblicus_context.corpora import Corpus
from biblicus_context.starter.files import starter_files
from tests.docs.reader import PAGES, PROGRAM, ROOT, Reader, asks_a_model, blocks
from tests.docs.recipes import anthropic_messages, openai_chat
from tests.docs.recipes.endpoint import Endpoint, endpoint
from tests.docs.recipes.refusal import RefusedError

pytestmark = pytest.mark.enable_socket
RECIPES = [page for page in PAGES if asks_a_model(page)]
LOST = "My parcel A-1042 does not move. Is it lost?"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with endpoint() as found:
        for name, value in found.environment.items():
            monkeypatch.setenv(name, value)
        yield found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one that `init` writes, indexed."""
    folder = tmp_path_factory.mktemp("project")
    for name, text in starter_files().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    with Corpus.open(folder / "handbook") as handbook:
        handbook.ingest()
    return folder


@pytest.fixture
def shop(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a reader is who has begun with it."""
    folder = shutil.copytree(project, tmp_path / "shop")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")
    return folder


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_recipe_does_what_it_says(page: Path, model: Endpoint, shop: Path):
    Reader(page, shop).try_all()
    assert model.refused == []
    assert len(model.requests) == 5
    what_is_cached_begins_the_next_request(model.requests)


def what_is_cached_begins_the_next_request(requests: list[dict[str, Any]]) -> None:
    for body, following in pairwise(requests):
        speech = anthropic_messages if "system" in body else openai_chat
        cached = speech.cached(body)
        assert len(cached) > 1
        assert speech.flat(following)[: len(cached)] == cached


def test_the_plans_of_all_recipes_are_the_same_but_for_the_model():
    pages = [ROOT / "docs" / "recipes" / "index.md", *RECIPES]
    plans = [yaml.safe_load(written(page, "contexts/agent.yaml")) for page in pages]
    models = {plan["policy"].pop("model") for plan in plans}
    assert all(plan == plans[0] for plan in plans)
    assert models == {"gpt-4o", "claude-sonnet-4-6"}


def written(page: Path, file: str) -> str:
    """What a page says is in a file."""
    return next(block.body for block in blocks(page) if block.file == file)


@pytest.fixture(params=["openai", "anthropic", "langchain"])
def agent(request: pytest.FixtureRequest, shop: Path, model: Endpoint) -> Any:
    """The agent of a page whose program calls the tools itself."""
    page = ROOT / "docs" / "recipes" / f"{request.param}.md"
    for file in ("contexts/agent.yaml", PROGRAM):
        (shop / file).write_text(written(page, file), encoding="utf-8")
    return runpy.run_path(str(shop / PROGRAM))["Agent"]()


def test_a_failure_leaves_the_history_as_it_was(agent: Any, model: Endpoint):
    agent.ask("Can I send back what I have opened?")
    before = list(agent.history)
    model.is_down = True
    with pytest.raises((openai.OpenAIError, anthropic.AnthropicError)):
        agent.ask(LOST)
    assert agent.history == before
    model.is_down = False
    assert "Lyon" in agent.ask(LOST).answer
    assert agent.history[: len(before)] == before


def test_a_model_that_calls_tools_without_end_has_to_answer_at_last(agent: Any, model: Endpoint):
    answer = agent.ask("Look again and again where A-1042 is.").answer
    assert answer.count("Lyon") == 3
    assert len(model.requests) == 4
    assert model.refused == []


def test_a_mistake_in_a_call_is_told_to_the_model(agent: Any, model: Endpoint):
    agent.ask("You are mistaken: where is A-1042?")
    result = agent.history[2]
    assert result["role"] == "tool"
    assert re.search(r"order\s+(Missing required argument|Field required)", result["content"])
    assert len(model.requests) == 2
    assert model.refused == []


@pytest.mark.parametrize("agent", ["langchain"], indirect=True)
@pytest.mark.parametrize(
    ("call", "told"),
    [
        ({"type": "invalid_tool_call", "name": "track_parcel", "args": "{"}, "takes {"),
        ({"type": "tool_call", "name": "weather", "args": {}}, "there is no weather"),
    ],
)
def test_a_call_that_cannot_be_made_has_a_result_in_langchain(
    agent: Any, call: dict[str, Any], told: str
):
    message = type(agent).ask.__globals__["result_of"]({**call, "id": "c1"})
    assert (message.tool_call_id, message.status) == ("c1", "error")
    assert told in message.content


def test_a_question_without_room_for_the_past_is_answered_without_it(agent: Any, model: Endpoint):
    agent.history = [user("Please say so. " * 290), said_before()]
    before = list(agent.history)
    asked_alone(agent, "Is my parcel lost? " + "Please say so. " * 200)
    assert agent.history[:-2] == before
    assert model.refused == []


@pytest.mark.parametrize("agent", ["anthropic"], indirect=True)
def test_a_past_that_would_begin_with_an_answer_is_left_out_for_anthropic(
    agent: Any, model: Endpoint
):
    long = "Please say so. " * 90
    agent.history = [user(long), said_before(), user(long), said_before()]
    asked_alone(agent, "Is my parcel lost? " + "Please say so. " * 200)
    assert model.refused == []


def asked_alone(agent: Any, question: str) -> None:
    """The question is answered, from a request that has nothing in front of it."""
    assert "parcel is lost" in agent.ask(question).answer
    asked = [each for each in agent.result.messages if each["role"] != "system"]
    assert asked == [user(question)]
    assert agent.result.token_count <= agent.result.receipt.budget
    assert agent.history[-2] == user(question)


def user(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


def said_before() -> dict[str, Any]:
    return {"role": "assistant", "content": "So."}


KEYS = {"Authorization": "Bearer sk-none", "anthropic-version": "2023-06-01"}
CALL = {"id": "c1", "type": "function", "function": {"name": "track_parcel", "arguments": "{}"}}
USE = {"type": "tool_use", "id": "t1", "name": "track_parcel", "input": {}}
HELLO = {"role": "user", "content": "Hello."}
MARKED = {"type": "text", "text": "Hello.", "cache_control": {"type": "ephemeral"}}


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "max_completion_tokens": 9, "messages": list(messages), **more}


def turns(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-4-6", "max_tokens": 9, "messages": list(messages), **more}


def said(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def heard(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "gone"}
ANSWERED = {"role": "tool", "tool_call_id": "c1", "content": "gone"}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (openai_chat.answer, chat(HELLO, CALLED, ANSWERED)),
        (anthropic_messages.answer, turns(HELLO, said(USE), heard(RESULT, MARKED))),
    ],
)
def test_what_a_provider_takes_is_answered(answer: Callable[..., Any], body: dict[str, Any]):
    assert answer(body, KEYS)["model"] == body["model"]


@pytest.mark.parametrize(
    "body",
    [
        chat(),
        chat(HELLO, {"role": "assistant", "content": ""}),
        chat({"role": "user", "content": []}),
        chat({"role": "speaker", "content": "Hello."}),
        chat({**HELLO, "cache_control": {"type": "ephemeral"}}),
        chat(HELLO, CALLED),
        chat(HELLO, CALLED, HELLO),
        chat(HELLO, ANSWERED),
        chat(HELLO, CALLED, ANSWERED, ANSWERED),
        chat(HELLO, {**CALLED, "tool_calls": [CALL, CALL]}, ANSWERED),
        chat(HELLO, tools=[{"type": "function", "function": {"name": "a b", "parameters": {}}}]),
        chat(HELLO, max_completion_tokens=0),
        chat(HELLO, max_tokns=9),
    ],
)
def test_what_openai_refuses_is_refused(body: dict[str, Any]):
    with pytest.raises(RefusedError):
        openai_chat.answer(body, KEYS)


@pytest.mark.parametrize(
    "body",
    [
        turns(),
        turns(said({"type": "text", "text": "Hello."})),
        turns(HELLO, HELLO),
        turns(HELLO, said({"type": "text", "text": "Hello."})),
        turns(heard()),
        turns(heard({"type": "text", "text": " "})),
        turns({"role": "system", "content": "Hello."}),
        turns(HELLO, system=[{"type": "text", "text": ""}]),
        turns(HELLO, said(USE), HELLO),
        turns(heard(RESULT)),
        turns(HELLO, said(USE), heard(MARKED, RESULT)),
        turns(HELLO, said(USE, USE), heard(RESULT, RESULT)),
        turns(heard(MARKED, MARKED, MARKED, MARKED), system=[MARKED]),
        turns(HELLO, tools=[{"name": "track", "input_schema": {"type": "string"}}]),
        turns(HELLO, max_tokens=0),
        turns(HELLO, max_tokns=9),
    ],
)
def test_what_anthropic_refuses_is_refused(body: dict[str, Any]):
    with pytest.raises(RefusedError):
        anthropic_messages.answer(body, KEYS)


@pytest.mark.parametrize(
    ("answer", "body"),
    [(openai_chat.answer, chat(HELLO)), (anthropic_messages.answer, turns(HELLO))],
)
def test_a_request_without_a_key_is_refused(answer: Callable[..., Any], body: dict[str, Any]):
    with pytest.raises(RefusedError, match="key"):
        answer(body, {})
