"""Definitions of tools go from OpenAI's chat form to the other providers' and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextError
from biblicus_context.formats import to_anthropic, to_gemini, tools_for, tools_from
from tests.formats import sdks
from tests.formats.speaking import user
from tests.formats.strategies import names, objects, part_of_the_examples, words

PARAMETERS = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
ADAPTERS = {
    "openai": sdks.CHAT_TOOLS,
    "openai_responses": sdks.RESPONSES_TOOLS,
    "anthropic": sdks.ANTHROPIC_TOOLS,
    "gemini": sdks.GEMINI_TOOLS,
}
GRAMMAR = {"definition": "start: WORD", "syntax": "lark"}


def function(name: str = "track", **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **more}}


def custom(**more: Any) -> dict[str, Any]:
    return {"type": "custom", "custom": {"name": "sql", **more}}


@st.composite
def functions(draw: st.DrawFn) -> dict[str, Any]:
    about = {"description": draw(words)} if draw(st.booleans()) else {}
    return function(draw(names), **about, parameters={"type": "object", "x": draw(objects)})


@pytest.mark.parametrize("provider", ADAPTERS)
@part_of_the_examples
@given(tools=st.lists(functions(), max_size=3))
def test_a_provider_accepts_its_tools_and_they_come_back(provider, tools):
    sent = tools_for(provider, tools)
    assert json.loads(json.dumps(sent)) == sent
    assert sdks.accepted(ADAPTERS[provider], sent) == sent
    assert tools_from(provider, sent) == tools


@pytest.mark.parametrize(
    ("provider", "tool", "written"),
    [
        ("openai", function(strict=False, description=None), function()),
        ("openai", function(strict=True), function(strict=True)),
        (
            "anthropic",
            function(),
            {"name": "track", "input_schema": {"type": "object", "properties": {}}},
        ),
        (
            "anthropic",
            function(strict=True, parameters=PARAMETERS),
            {"name": "track", "input_schema": PARAMETERS, "strict": True},
        ),
        ("gemini", function(), {"function_declarations": [{"name": "track"}]}),
        (
            "openai_responses",
            function(),
            {"type": "function", "name": "track", "parameters": None, "strict": False},
        ),
        ("openai_responses", custom(), {"type": "custom", "name": "sql"}),
        (
            "openai_responses",
            custom(format={"type": "grammar", "grammar": GRAMMAR}),
            {"type": "custom", "name": "sql", "format": {"type": "grammar", **GRAMMAR}},
        ),
        (
            "openai_responses",
            custom(format={"type": "text"}),
            {"type": "custom", "name": "sql", "format": {"type": "text"}},
        ),
        ("openai", custom(format={"type": "text"}), custom(format={"type": "text"})),
    ],
)
def test_a_tool_is_written_as_the_provider_has_it(provider, tool, written):
    assert tools_for(provider, [tool]) == [written]
    assert sdks.accepted(ADAPTERS[provider], [written]) == [written]
    assert tools_for(provider, tools_from(provider, [written])) == [written]


def test_geminis_tools_are_read_in_either_spelling():
    declaration = {"name": "track", "parametersJsonSchema": PARAMETERS}
    for written in (
        {"functionDeclarations": [declaration]},
        sdks.gemini.Tool(function_declarations=[sdks.gemini.FunctionDeclaration(**declaration)]),
    ):
        assert tools_from("gemini", [written]) == [function(parameters=PARAMETERS)]


def test_marks_of_a_cache_are_left_out():
    written = {"name": "track", "input_schema": PARAMETERS, "cache_control": {"type": "ephemeral"}}
    assert tools_from("anthropic", [written]) == [function(parameters=PARAMETERS)]


def test_no_tools_are_nothing():
    assert tools_for("gemini", []) == []
    assert "tools" not in to_anthropic([user()])
    assert "config" not in to_gemini([user()])


@pytest.mark.parametrize(
    ("provider", "tool", "expected"),
    [
        (
            "x",
            function(),
            "provider: unknown provider: found 'x'. Valid: openai, openai_responses, ",
        ),
        (
            "anthropic",
            {"type": "web_search"},
            "tools[0]: a tool definition has the form of OpenAI's chat: found 'web_search'. "
            "Valid: function, custom. Add a provider's own tools to the returned list.",
        ),
        (
            "anthropic",
            custom(),
            "tools[0]: Anthropic has no custom tools: found 'sql'",
        ),
        (
            "gemini",
            custom(),
            "tools[0]: Gemini has no custom tools: found 'sql'",
        ),
        (
            "gemini",
            function(strict=True),
            "tools[0]: Gemini has no strict tools: found 'track'. Leave out strict.",
        ),
        (
            "openai",
            function("math.add"),
            "tools[0]: OpenAI chat does not take a tool of this name: found 'math.add'",
        ),
        (
            "openai",
            function(parameters={"type": "string"}),
            "tools[0].parameters: parameters are a JSON Schema of type object: found 'string'",
        ),
        (
            "openai",
            function(returns="x"),
            "tools[0]: this part of the definition has no counterpart: found",
        ),
        ("openai", function(None), "tools[0].name: this is missing"),
        ("openai", {"type": "function"}, "tools[0].function: this must be a mapping"),
    ],
)
def test_a_definition_that_a_provider_cannot_have_is_refused(provider, tool, expected):
    with pytest.raises(ContextError) as caught:
        tools_for(provider, [tool])
    assert str(caught.value).startswith(expected)


@pytest.mark.parametrize(
    ("provider", "tool", "expected"),
    [
        ("openai_responses", {"type": "web_search"}, "tools[0]: only one provider has this tool"),
        (
            "anthropic",
            {"type": "bash_20250124", "name": "bash"},
            "tools[0]: only one provider has this",
        ),
        (
            "gemini",
            {"google_search": {}, "code_execution": {"x": 1}},
            "tools[0]: this part of the def",
        ),
        (
            "openai_responses",
            {"type": "function", "name": "f", "defer_loading": True},
            "tools[0]: this part of the definition has no counterpart: found {'defer_loading': True}",
        ),
    ],
)
def test_a_definition_that_chat_cannot_have_is_refused(provider, tool, expected):
    with pytest.raises(ContextError) as caught:
        tools_from(provider, [tool])
    assert str(caught.value).startswith(expected)
