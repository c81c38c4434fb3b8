"""Where neither a model nor a framing is named, what any provider's format writes is counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from biblicus_context import ContextAssembler
from tests.assembly.oracle import tokens

ASKED = {"role": "user", "content": "Where is my parcel?"}


def looked_up(content: Any, name: str) -> list[dict[str, Any]]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": '{"id":7}'}}
    return [
        ASKED,
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": content},
    ]


def content_of(sent: dict[str, Any]) -> int:
    """The tokens of texts, names, arguments, and the JSON of results around their texts."""
    total = 0
    for part in (part for content in sent["contents"] for part in content["parts"]):
        body = part.get("function_call") or part.get("function_response") or {}
        total += tokens(part.get("text", "")) + tokens(body.get("name", ""))
        if "args" in body:
            total += tokens(json.dumps(body["args"], separators=(",", ":")))
        if "output" in body.get("response", {}):
            output = body["response"]["output"]
            texts = [output] if isinstance(output, str) else output
            empty = "" if isinstance(output, str) else [""] * len(output)
            total += sum(map(tokens, texts))
            total += tokens(json.dumps({"output": empty}, separators=(",", ":")))
        elif "response" in body:
            total += tokens(json.dumps(body["response"], separators=(",", ":")))
    return total


@pytest.mark.parametrize("name", ["track", "look_up_the_parcels_of_a_customer_by_number_and_date"])
@pytest.mark.parametrize(
    "content",
    ["Three days.", '{"days":3}', [{"type": "text", "text": word} for word in ("One.", "Two.")]],
)
def test_the_json_that_gemini_s_format_writes_around_a_result_is_counted(content: Any, name: str):
    plan = {"messages": [{"type": "history"}], "policy": {"input_budget": {"max_tokens": 100}}}
    result = ContextAssembler({"main": plan}).assemble("main", history=looked_up(content, name))
    assert content_of(result.to_gemini()) <= result.token_count <= 100


def test_a_framing_that_is_stated_has_no_json_of_another_provider():
    plan = {"messages": [{"type": "history"}], "policy": {"framing": "none"}}
    history = looked_up("Three days.", "track")
    result = ContextAssembler({"main": plan}).assemble("main", history=history)
    said = ["Where is my parcel?", "I look.", "track", '{"id":7}', "Three days."]
    assert result.token_count == sum(map(tokens, said))


@pytest.mark.parametrize("model", ["gemini-2.5-pro", None])
def test_a_result_for_gemini_is_counted_with_the_name_of_its_tool(model: str | None):
    plan = {"messages": [{"type": "history"}], "policy": {"model": model} if model else {}}
    short, long = (
        ContextAssembler({"main": plan}).assemble("main", history=looked_up("Done.", name))
        for name in ("track", "track " * 50)
    )
    assert long.token_count - short.token_count >= 2 * 49
