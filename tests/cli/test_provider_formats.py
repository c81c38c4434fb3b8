"""`render --format` prints what the method of a result for a provider returns."""

from __future__ import annotations

import json

import pytest
from langchain_core.messages import messages_from_dict
from pydantic_ai.messages import ModelMessagesTypeAdapter

from biblicus_context import ContextAssembler
from biblicus_context.cli.options.assembling import RenderFormat
from biblicus_context.cli.output.failures import wants_json
from tests.cli.conftest import DESK

PLAIN = ("plain", "--user", "Hi")
TOOLS = [
    {
        "type": "function",
        "function": {"name": "track", "parameters": {"type": "object", "properties": {}}},
    }
]


@pytest.fixture
def result(project):
    assembler = ContextAssembler.from_path("contexts")
    return assembler.assemble("plain", user_message="Hi")


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "anthropic", "gemini"])
def test_a_provider_gets_what_the_method_returns(run, result, provider):
    method = getattr(result, f"to_{provider.replace('-', '_')}")
    assert run("render", "plain", "--user", "Hi", "--format", provider).json == method()


@pytest.mark.parametrize("provider", ["anthropic", "gemini"])
def test_tools_are_converted_too(run, project, provider):
    (project / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    sent = run("render", *PLAIN, "--tools", "tools.json", "--format", provider).json
    assert "track" in json.dumps(sent)


def test_langchain_loads_what_is_printed(run, project):
    printed = run("render", *DESK, "--format", "langchain").json
    messages = run("render", *DESK, "--format", "messages").json
    loaded = messages_from_dict(printed)
    assert [each.content for each in loaded] == [each["content"] for each in messages]


def test_pydantic_ai_loads_what_is_printed(run, project):
    printed = run("render", *DESK, "--format", "pydantic-ai").json
    loaded = ModelMessagesTypeAdapter.validate_python(printed)
    assert ModelMessagesTypeAdapter.dump_python(loaded, mode="json") == printed


def test_every_format_of_json_has_errors_in_json():
    formats = {*RenderFormat} - {RenderFormat.TEXT}
    assert all(wants_json(["render", "x", f"--format={each}"]) for each in formats)
