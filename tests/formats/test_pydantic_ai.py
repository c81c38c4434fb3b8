"""pydantic-ai: requests and responses, reasoning in its own fields, retries as failed results."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import pytest
from pydantic_ai import Tool
from pydantic_ai.tools import ToolDefinition

from biblicus_context.errors import FormatError, InputError, MissingExtraError
from biblicus_context.formats import (
    history_from_pydantic_ai,
    to_pydantic_ai,
    tools_from_pydantic_ai,
)
from tests.formats import sdks
from tests.formats.speaking import THINKING, assistant, call, exchange, result, user
from tests.formats.strategies import PNG, image_part, text_part

ai = sdks.pydantic_ai


def request(*parts: Any) -> Any:
    return ai.ModelRequest(parts=[*parts])


def response(*parts: Any) -> Any:
    return ai.ModelResponse(parts=[*parts])


def retry_prompt(**fields: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated, and stands in old histories
        return ai.RetryPromptPart("Wrong.", **fields)


def test_what_is_between_two_answers_is_one_request():
    messages = [{"role": "developer", "content": "Be kind."}, *exchange(), user("So?")]
    kinds = [[part.part_kind for part in message.parts] for message in to_pydantic_ai(messages)]
    assert kinds == [
        ["system-prompt", "user-prompt"],
        ["tool-call"],
        ["tool-return", "user-prompt"],
    ]
    assert history_from_pydantic_ai(to_pydantic_ai(messages)) == messages


REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": text} for text in ("one", "two")],
    "content": [{"type": "reasoning_text", "text": "raw"}],
    "encrypted_content": "gAAA",
}


@pytest.mark.parametrize(
    ("said", "fields"),
    [
        ([THINKING], [("Hm.", None, "EqQB", "anthropic")]),
        ([{"type": "thinking", "thinking": "Hm."}], [("Hm.", None, None, "anthropic")]),
        (
            [{"type": "redacted_thinking", "data": "EqQB"}],
            [("", "redacted_thinking", "EqQB", "anthropic")],
        ),
        (
            [REASONING],
            [("one", "rs_1", "gAAA", "openai"), ("two", "rs_1", None, "openai")],
        ),
        (
            [{"type": "reasoning", "id": "rs_1", "summary": []}, {**REASONING, "id": "rs_2"}],
            [
                ("", "rs_1", None, "openai"),
                ("one", "rs_2", "gAAA", "openai"),
                ("two", "rs_2", None, "openai"),
            ],
        ),
        ([{"text": "Hm.", "thought": True}], [("Hm.", None, None, "google")]),
        ([{"type": "reasoning", "reasoning": "Hm."}], [("Hm.", None, None, None)]),
        (
            [REASONING, THINKING],
            [
                ("one", "rs_1", "gAAA", "openai"),
                ("two", "rs_1", None, "openai"),
                ("Hm.", None, "EqQB", "anthropic"),
            ],
        ),
    ],
)
def test_reasoning_is_kept_where_pydantic_ai_keeps_it(said, fields):
    messages = [user(), assistant([*said, text_part("x")])]
    parts = to_pydantic_ai(messages)[1].parts[:-1]
    assert [(part.content, part.id, part.signature, part.provider_name) for part in parts] == fields
    assert history_from_pydantic_ai(to_pydantic_ai(messages)) == messages


def test_reasoning_of_other_servers_is_kept():
    messages = [user(), assistant("x", reasoning_content="Hm.")]
    assert to_pydantic_ai(messages)[1].parts[0].id == "reasoning_content"
    assert history_from_pydantic_ai(to_pydantic_ai(messages)) == messages


@pytest.mark.parametrize(
    ("message", "read"),
    [
        (
            request(ai.UserPromptPart(["a", ai.CachePoint(), ai.TextContent("b")])),
            [user([text_part("a"), text_part("b")])],
        ),
        (
            request(ai.UserPromptPart([ai.ImageUrl("https://example.com/a")])),
            [user([image_part("https://example.com/a")])],
        ),
        (
            request(
                ai.UserPromptPart(
                    [
                        ai.ImageUrl(
                            "https://example.com/a",
                            media_type="image/png",
                            vendor_metadata={"detail": "low"},
                        )
                    ]
                )
            ),
            [
                user(
                    [
                        {
                            **image_part("https://example.com/a", detail="low"),
                            "mime_type": "image/png",
                        }
                    ]
                )
            ],
        ),
        (
            response(ai.ToolCallPart("track", {"id": 7}, "c1")),
            [assistant(tool_calls=[call('{"id":7}')])],
        ),
        (response(ai.ToolCallPart("track", None, "c1")), [assistant(tool_calls=[call("{}")])]),
        (response(), []),
        (
            response(ai.FilePart(ai.BinaryImage(b"\x00\x01\x02", media_type="image/png"))),
            [assistant([image_part("data:image/png;base64,AAEC")])],
        ),
        (request(ai.ToolReturnPart("track", {"days": 3}, "c1")), [result('{"days":3}')]),
        (request(ai.ToolReturnPart("track", None, "c1")), [result("")]),
        (
            request(ai.ToolReturnPart("track", "no", "c1", outcome="retried")),
            [result("no", is_error=True)],
        ),
        (request(ai.ToolReturnPart("track", "no", "c1", outcome="denied")), [result("no")]),
        (
            request(ai.ToolReturnPart("track", [ai.ImageUrl("https://example.com/a.png")], "c1")),
            [result([image_part("https://example.com/a.png")])],
        ),
        (
            request(retry_prompt(tool_name="track", tool_call_id="c1")),
            [result("Wrong.\n\nFix the errors and try again.", is_error=True)],
        ),
        (
            request(retry_prompt()),
            [user("Validation feedback:\nWrong.\n\nFix the errors and try again.")],
        ),
    ],
)
def test_a_message_is_read(message, read):
    assert history_from_pydantic_ai([message]) == read


def test_feedback_is_read_as_the_model_sees_it():
    part = ai.RetryFeedbackPart("Wrong.", retry=ai.RetryInfo("model_retry"))
    (message,) = history_from_pydantic_ai([request(part)])
    assert message == user(part.model_response())


def test_detail_and_kind_of_an_image_are_kept():
    picture = {**image_part("https://example.com/a", detail="low"), "mime_type": "image/png"}
    messages = [user([picture, image_part(f"data:image/png;base64,{PNG}", detail="high")])]
    assert history_from_pydantic_ai(to_pydantic_ai(messages)) == messages


def test_an_image_that_a_model_made_is_kept():
    messages = [user(), assistant([image_part(f"data:image/png;base64,{PNG}")])]
    assert history_from_pydantic_ai(to_pydantic_ai(messages)) == messages


@pytest.mark.parametrize(
    ("message", "found"),
    [
        (request(ai.CompactionPart("short")), "compaction"),
        (response(ai.NativeToolCallPart("web_search", {}, "c1")), "builtin-tool-call"),
        (
            response(ai.ThinkingPart("Hm.", signature="x", provider_name="bedrock")),
            "thinking of an unknown provider",
        ),
    ],
)
def test_what_only_pydantic_ai_can_read_is_refused_or_dropped(message, found):
    with pytest.raises(FormatError) as caught:
        history_from_pydantic_ai([message])
    assert str(caught.value) == (
        f"messages[0]: only pydantic-ai can read this part: found {found!r}. "
        "Remove it, or pass foreign='drop'."
    )
    assert history_from_pydantic_ai([message], foreign="drop") == []


def test_what_only_its_provider_knows_of_a_file_is_refused_or_dropped():
    part = ai.ImageUrl("https://example.com/a.png", vendor_metadata={"media_resolution": "low"})
    message = request(ai.UserPromptPart([part]))
    with pytest.raises(FormatError, match="found 'vendor_metadata'"):
        history_from_pydantic_ai([message])
    read = history_from_pydantic_ai([message], foreign="drop")
    assert read == [user([image_part("https://example.com/a.png")])]


def test_a_file_that_is_no_image_is_refused():
    message = request(ai.UserPromptPart([ai.DocumentUrl("https://example.com/a.pdf")]))
    with pytest.raises(
        FormatError, match=r"messages\[0\]: the engine does not support this kind of file"
    ):
        history_from_pydantic_ai([message])


def test_what_is_no_message_is_refused():
    with pytest.raises(InputError, match=r"messages\[0\]: this is not a message of pydantic-ai"):
        history_from_pydantic_ai([user()])


def test_without_the_library_the_error_has_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    for convert in (to_pydantic_ai, history_from_pydantic_ai, tools_from_pydantic_ai):
        with pytest.raises(MissingExtraError, match=r"install .*\[pydantic-ai\]"):
            convert([])


def track(order: str, days: int = 3) -> str:
    """Say where a parcel is."""
    return order * days


def test_the_tools_of_an_agent_are_counted_as_those_of_openai():
    (tool,) = tools_from_pydantic_ai([Tool(track).tool_def])
    assert tool["type"] == "function"
    function = tool["function"]
    assert function["name"] == "track"
    assert function["description"] == "Say where a parcel is."
    assert function["parameters"]["required"] == ["order"]
    assert "strict" not in function


@pytest.mark.parametrize(("strict", "kept"), [(True, {"strict": True}), (False, {}), (None, {})])
def test_a_tool_is_strict_where_it_says_so(strict: bool | None, kept: dict[str, Any]):
    schema = {"type": "object", "properties": {}}
    definition = ToolDefinition(name="track", parameters_json_schema=schema, strict=strict)
    function = {"name": "track", "parameters": schema, **kept}
    assert tools_from_pydantic_ai([definition]) == [{"type": "function", "function": function}]


@pytest.mark.parametrize("strange", [track, {"name": "track"}, "track"])
def test_what_is_no_definition_of_a_tool_is_refused(strange: Any):
    with pytest.raises(InputError, match=r"^tools\[1\]: this is not a tool definition"):
        tools_from_pydantic_ai([Tool(track).tool_def, strange])
