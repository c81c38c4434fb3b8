"""Lua assembles contexts by `require("biblicus_context")`, and gets tables and readable errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tactus.core.lua_sandbox import LuaSandbox, LuaSandboxError

from biblicus_context import ContextAssembler
from biblicus_context.integrations.tactus import HostError, host
from biblicus_context.integrations.tactus.library import without_lua

YAML = """
kind: context
name: support
policy: {input_budget: {max_tokens: 200}}
messages:
  - {type: system, content: "You help with {input.product}."}
  - {type: history}
  - {type: user, template: "Question: {{ input.question }}"}
"""
HISTORY = [
    {"role": "user", "content": "Where is it?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "track", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "On its way."},
    {"role": "assistant", "content": "On its way."},
]
IN_LUA = """{
  {role = "user", content = "Where is it?"},
  {role = "assistant", tool_calls = {
    {id = "c1", type = "function", ["function"] = {name = "track", arguments = "{}"}}}},
  {role = "tool", tool_call_id = "c1", content = "On its way."},
  {role = "assistant", content = "On its way."}
}"""


@pytest.fixture
def contexts(tmp_path: Path) -> Path:
    (tmp_path / "support.yaml").write_text(YAML, encoding="utf-8")
    return tmp_path


@pytest.fixture
def lua(contexts: Path):
    """Runs Lua as in a procedure, where `ctx` is the module."""
    sandbox = LuaSandbox(python_modules={"biblicus_context": host(contexts)})
    return lambda code: sandbox.execute(f'local ctx = require("biblicus_context")\n{code}')


def test_a_context_of_the_yaml_files_is_assembled_as_from_python(lua, contexts: Path):
    made = without_lua(
        lua(
            'return ctx.assemble{name = "support", inputs = {product = "lamps", question = "When?"},'
            f"history = {IN_LUA}}}"
        )
    )
    expected = ContextAssembler.from_path(contexts).assemble(
        "support", inputs={"product": "lamps", "question": "When?"}, history=HISTORY
    )
    assert made["system_prompt"] == expected.system_prompt == "You help with lamps."
    assert made["user_message"] == expected.user_message == "Question: When?"
    assert made["token_count"] == expected.token_count
    assert made["messages"] == without_none(expected.messages)
    assert made["history"] == without_none(expected.history)
    assert made["receipt"]["context"] == "support"


def test_a_context_written_in_lua_takes_a_message_and_a_base_prompt(lua):
    made = lua(
        """
        return ctx.assemble{
          context = {policy = {}, messages = {
            {type = "system", base = true},
            {type = "system", template = "{input.style}", vars = {}},
          }},
          inputs = {style = "Be brief."}, history = {}, message = "Why?",
          base_system_prompt = "You are Ada.", tools = {}, budget = 400 / 2, model = "gpt-4o"
        }
        """
    )
    assert made.system_prompt == "You are Ada.\n\nBe brief."
    assert made.user_message == "Why?"
    assert made.receipt.budget == 200


def test_an_explicit_empty_plan_is_one(lua):
    made = lua('return ctx.assemble{context = {messages = {}}, message = "Why?"}')
    assert (made.system_prompt, made.user_message) == ("", "Why?")


def test_the_same_call_gives_the_same_tables(lua):
    call = 'return ctx.assemble{name = "support", inputs = {product = "x", question = "y"}}'
    made = [json.dumps(without_lua(lua(call)), sort_keys=True) for _ in range(3)]
    assert made[0] == made[1] == made[2]


def test_everything_in_the_answer_is_a_text_a_number_or_a_table(lua):
    assert (
        lua(
            f"""
        local function strange(value)
          if type(value) == "userdata" or type(value) == "function" then return true end
          if type(value) ~= "table" then return false end
          for key, each in pairs(value) do
            if strange(key) or strange(each) then return true end
          end
          return false
        end
        return strange(ctx.assemble{{name = "support", history = {IN_LUA},
          inputs = {{product = "lamps", question = print, more = ctx}}}})
        """
        )
        is False
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('{name = "suport"}', "Context 'suport' not defined. Known: support. Did you mean"),
        ('{name = "support", input = {}}', "unknown argument: found 'input'"),
        ('{name = "support", context = {}}', "assemble needs a context"),
        ("{}", "assemble needs a context"),
        ('{context = "support"}', "context must be a table: found 'support'"),
        ('"support"', "assemble takes one table: found 'support'"),
        ("nil", "assemble takes one table"),
        ('{context = {messages = {{type = "systm"}}}}', "Did you mean 'system'?"),
        ('{name = "support", inputs = 3}', "inputs must be a mapping"),
        ('{name = "support", inputs = {}}', "unknown name in {input.product}"),
        (
            '{context = {messages = {{type = "history"}}}, history = {1}}',
            "history[0]: this must be a message",
        ),
        (
            '{name = "support", inputs = {question = "x", product = "y"}, budget = 3}',
            "its budget is",
        ),
    ],
)
def test_an_error_arrives_in_lua_as_a_readable_message(lua, call: str, said: str):
    ok, message = lua(
        f"local ok, message = pcall(ctx.assemble, {call})\nreturn ok, tostring(message)"
    )
    assert ok is False
    assert said in message
    assert "Traceback" not in message


def test_an_error_that_lua_does_not_catch_keeps_its_message(lua):
    with pytest.raises(LuaSandboxError, match="Context 'suport' not defined"):
        lua('ctx.assemble{name = "suport"}')


def test_lua_reaches_nothing_through_an_error(lua):
    reached = lua(
        """
        local ok, failure = pcall(ctx.assemble, {name = "support", budget = 1,
          inputs = {question = "x", product = "y"}})
        local found = {}
        for _, name in ipairs{"receipt", "parts", "__traceback__", "__context__", "__cause__",
                              "__class__", "found", "place"} do
          local there, value = pcall(function() return failure[name] end)
          if there and value ~= nil then table.insert(found, name) end
        end
        return table.concat(found, " ")
        """
    )
    assert reached == ""


def test_a_failure_of_ours_is_told_without_the_exception(contexts: Path):
    class Odd:
        def __iter__(self):
            raise OSError("the disk is gone")

    with pytest.raises(HostError) as caught:
        host(contexts)["assemble"]({"name": "support", "history": Odd()})
    assert str(caught.value) == "OSError: the disk is gone"
    assert caught.value.__suppress_context__


def test_a_procedure_uses_it_between_turns_of_its_agents(play, contexts: Path):
    ran = play(
        """
        Procedure { function(input)
          local ctx = require("biblicus_context")
          local made = ctx.assemble{name = "support", inputs = {product = "lamps", question = "When?"}}
          local ok, message = pcall(ctx.assemble, {name = "nowhere"})
          return {prompt = made.system_prompt, tokens = made.token_count, problem = tostring(message)}
        end }
        """,
        modules={"biblicus_context": host(contexts)},
    )
    assert ran.success, ran.error
    assert ran.result["prompt"] == "You help with lamps."
    assert ran.result["tokens"] > 5
    assert ran.result["problem"].startswith("Context 'nowhere' not defined")


def test_a_procedure_that_does_not_catch_an_error_ends_with_its_message(play, contexts: Path):
    ran = play(
        'Procedure { function(input) return require("biblicus_context").assemble{name = "no"} end }',
        modules={"biblicus_context": host(contexts)},
    )
    assert not ran.success
    assert "Context 'no' not defined. Known: support." in ran.error


def without_none(value):
    """As Lua has it, where nothing and not there are the same."""
    if isinstance(value, dict):
        return {key: without_none(each) for key, each in value.items() if each is not None}
    return [without_none(each) for each in value] if isinstance(value, list) else value
