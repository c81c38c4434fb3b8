"""A result goes out in each format; what an assembly returns is always sendable or refused."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from biblicus_context import ContextAssembler, ContextAssemblyResult
from biblicus_context.formats import (
    MarkAfter,
    history_from_openai,
    to_gemini,
    to_langchain,
    to_openai,
    to_openai_responses,
    to_pydantic_ai,
)
from tests.formats.speaking import TOOL, assistant, exchange, marked, user
from tests.formats.strategies import text_part

SYSTEM = {"type": "system", "content": "Be kind."}
TALK = [user("one"), assistant("two")]


def assembled(*messages: Any, history: Any = TALK, **call: Any) -> ContextAssemblyResult:
    assembler = ContextAssembler(
        {"page": {"messages": [*messages]}},
        {"kb": lambda request: {"text": "Three days.", "evidence_count": 1, "blocks": []}},
    )
    return assembler.assemble("page", history=history, inputs={"q": "How long?"}, **call)


ASKED = [{"type": "history"}, {"type": "user", "content": "{input.q}"}]


def test_a_result_goes_out_as_its_messages_do():
    result = assembled(SYSTEM, *ASKED, history=exchange())
    assert result.to_openai() == to_openai(result.messages) == result.messages
    assert result.to_openai_responses() == to_openai_responses(result.messages)
    assert result.to_gemini(tools=[TOOL]) == to_gemini(result.messages, tools=[TOOL])
    assert result.to_langchain() == to_langchain(result.messages)
    kinds = [message.kind for message in result.to_pydantic_ai()]
    assert kinds == [message.kind for message in to_pydantic_ai(result.messages)]
    assert history_from_openai(result.to_openai()) == result.messages


@pytest.mark.parametrize(
    ("messages", "ends"),
    [
        ([SYSTEM, *ASKED], ["Be kind.", "two"]),
        (
            [SYSTEM, {"type": "system", "content": "Asked: {input.q}"}, *ASKED],
            ["Be kind.\n\n", "Asked: How long?", "two"],
        ),
        (
            [{"type": "system", "content": "Asked: {input.q}"}, SYSTEM, *ASKED],
            ["Asked: How long?\n\nBe kind.", "two"],
        ),
        ([SYSTEM, {"type": "context", "name": "kb"}, *ASKED], ["Be kind.\n\n"]),
        ([{"type": "system", "content": ""}, SYSTEM, *ASKED], ["Be kind.", "two"]),
        ([{"type": "system", "base": True}, SYSTEM, *ASKED], ["Base.\n\nBe kind.", "two"]),
        (
            [{"type": "system", "content": "{input.q}"}, {"type": "context", "name": "kb"}, *ASKED],
            [],
        ),
    ],
)
def test_marks_stand_at_the_ends_of_what_the_plan_repeats(messages, ends):
    result = assembled(*messages, base_system_prompt="Base.")
    assert marked(result.to_anthropic()) == ends


def test_a_text_that_quotes_a_pack_is_not_steady():
    quoting = {"type": "system", "content": "Known: {context.kb}"}
    result = assembled(SYSTEM, {"type": "context", "name": "kb"}, quoting, *ASKED)
    assert marked(result.to_anthropic()) == ["Be kind.\n\n"]


def test_while_tools_are_called_even_evidence_is_repeated():
    result = assembled(
        SYSTEM, {"type": "context", "name": "kb"}, {"type": "history"}, history=exchange()
    )
    assert marked(result.to_anthropic()) == ["Be kind.\n\n", "Three days.", "tool_result"]


def test_a_text_that_had_to_be_shortened_is_not_steady():
    long = {"type": "system", "content": "Be kind. " * 20, "shrink": True}
    result = assembled(long, SYSTEM, *ASKED, budget=30)
    assert marked(result.to_anthropic())[0] == result.system_prompt


def test_the_plan_without_messages_has_a_steady_base():
    assembler = ContextAssembler({"page": {}})
    result = assembler.assemble("page", "Base.", TALK, "How long?")
    assert marked(result.to_anthropic()) == ["Base.", "two"]


def test_the_callers_options_go_through():
    late = {"type": "system", "content": "Late."}
    result = assembled(SYSTEM, {"type": "history"}, late, {"type": "user", "content": "x"})
    sent = result.to_anthropic(
        cache=[MarkAfter(0), "tools"], tools=[TOOL], ttl="5m", late_system="user"
    )
    assert marked(sent) == ["track", "Be kind."]
    assert sent["messages"][-1]["content"] == [text_part("Late."), text_part("x")]
    assert result.to_gemini(late_system="user")["contents"][-1]["parts"][0] == {"text": "Late."}


@pytest.mark.parametrize("kept", [copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])
def test_a_kept_result_goes_out_the_same(kept):
    result = assembled(SYSTEM, {"type": "context", "name": "kb"}, *ASKED)
    assert kept(result).to_anthropic() == result.to_anthropic()


def test_a_result_made_by_hand_goes_out_too():
    result = ContextAssemblyResult(
        "s", [], "u", messages=[{"role": "system", "content": "s"}, user("u")]
    )
    assert marked(result.to_anthropic()) == ["s"]
