"""Whatever callers pass wrongly is a typed error that says what to pass instead."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler, InputError

NO_ZONE = datetime.fromisoformat("2026-05-01")
CHAT = {"chat": {"messages": [{"type": "history"}, {"type": "user", "content": "Hi."}]}}


@pytest.mark.parametrize(
    "argument",
    [
        "context_registry",
        "retriever_registry",
        "corpus_registry",
        "compactor_registry",
        "policy_registry",
        "retriever_functions",
        "counters",
        "models",
        "retrieval_parts",
    ],
)
@pytest.mark.parametrize("wrong", [[], ["kb"], 5])
def test_a_registry_is_a_mapping(argument: str, wrong: Any):
    arguments = {"context_registry": CHAT, argument: wrong}
    with pytest.raises(
        InputError, match=f"{argument} must be a mapping of names to entries: found"
    ):
        ContextAssembler(**arguments)


@pytest.mark.parametrize("wrong", ["2026-05-01", NO_ZONE, 5])
def test_the_moment_of_a_call_has_a_time_zone(wrong: Any):
    with pytest.raises(InputError, match="now must be a time with a time zone: found"):
        ContextAssembler(CHAT).assemble("chat", now=wrong)


def test_a_path_is_for_from_path(tmp_path: Path):
    for path in (str(tmp_path), tmp_path):
        with pytest.raises(InputError, match=r"Use ContextAssembler\.from_path for files"):
            ContextAssembler(path)


def test_registries_may_be_left_out_as_none():
    assert ContextAssembler(CHAT, None, None, None, None).assemble("chat").user_message == "Hi."


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"summarizer": "gpt"}, "summarizer must be a callable: found 'str'"),
        ({"parallel": "yes"}, "parallel must be True, False or None: found 'yes'"),
        ({"default_retriever": "kb"}, "default_retriever: this is not a retriever: found 'str'"),
    ],
)
def test_other_arguments_of_the_wrong_type_are_refused_by_name(
    arguments: dict[str, Any], problem: str
):
    with pytest.raises(InputError, match=problem):
        ContextAssembler(CHAT, **arguments)


@pytest.mark.parametrize(
    ("budget", "problem"),
    [
        ("10", r"budget must be a whole number of tokens: found '10'\. Pass budget=10\."),
        (10.5, "budget must be a whole number of tokens: found 10.5"),
        (True, "budget must be a whole number of tokens: found True"),
        (0, "budget must be at least 1 token: found 0"),
    ],
)
def test_a_budget_is_a_whole_number_of_tokens(budget: Any, problem: str):
    with pytest.raises(InputError, match=problem):
        ContextAssembler(CHAT).assemble("chat", budget=budget)


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"role": "user", "text": "x"}, r"found 'text'\. Rename 'text' to 'content'\."),
        ({"role": "user", "contnet": "x"}, r"found 'contnet'\. Rename 'contnet' to 'content'\."),
        ({"role": "user"}, r"Pass \{'role': \.\.\., 'content': \.\.\.\}"),
        ({"role": "tool", "tool_call_id": "a"}, "the message has no content"),
    ],
)
def test_a_message_without_content_is_refused_with_the_key_that_was_meant(
    message: dict[str, Any], problem: str
):
    history = [{"role": "user", "content": "Hello."}, message]
    with pytest.raises(InputError, match=problem):
        ContextAssembler(CHAT).assemble("chat", history=history)


def test_a_message_may_have_calls_or_null_instead_of_content():
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    history = [
        {"role": "user", "content": None},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "done"},
    ]
    assert ContextAssembler(CHAT).assemble("chat", history=history).history == history


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"tools": 5}, "tools must be a list of tool definitions: found 'int'"),
        ({"tools": {"type": "function"}}, "tools must be a list of tool definitions: found 'dict'"),
        ({"template_context": 5}, "template_context must be a mapping of names to entries"),
    ],
)
def test_other_options_of_the_wrong_type_are_refused_by_name(options: dict[str, Any], problem: str):
    with pytest.raises(InputError, match=problem):
        ContextAssembler(CHAT).assemble("chat", **options)


def test_an_input_that_is_passed_as_an_option_is_sent_to_its_place():
    declared = {"inputs": {"question": {"type": "string"}}, "messages": []}
    used = {"messages": [{"type": "user", "content": "{input.question}"}]}
    for plan in (declared, used):
        with pytest.raises(InputError) as raised:
            ContextAssembler({"bot": plan}).assemble("bot", question="Where?")  # type: ignore[call-arg]
        assert str(raised.value) == (
            "'question' is an input of the context, not an option. Pass inputs={'question': ...}."
        )
    with pytest.raises(
        InputError, match=r"found 'qestion'.*Pass an input as inputs={'qestion': ...}"
    ):
        ContextAssembler({"bot": used}).assemble("bot", qestion="Where?")  # type: ignore[call-arg]
