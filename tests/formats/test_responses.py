"""Items of the Responses API: ids and the order of what a model did are kept."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context.errors import InputError
from biblicus_context.formats import history_from_openai_responses, to_openai_responses
from biblicus_context.formats.openai.responses_writer import OTHER_ITEMS
from tests.formats import sdks
from tests.formats.speaking import assistant, user
from tests.formats.strategies import PNG, text_part

ASKED = {"type": "message", "role": "user", "content": "Hello."}
SAID = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "phase": "commentary",
    "content": [
        {
            "type": "output_text",
            "text": "one",
            "annotations": [{"type": "file_path", "file_id": "f", "index": 0}],
        },
        {"type": "refusal", "refusal": "two"},
    ],
}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None}
CALLED = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{ }"}
ANSWERED = {"type": "function_call_output", "call_id": "c1", "output": "x", "id": "fco_1"}
WRITTEN = {"type": "custom_tool_call", "call_id": "c2", "name": "sql", "input": "select 1"}
READ = {"type": "custom_tool_call_output", "call_id": "c2", "output": "1"}
SEARCHED = {
    "type": "web_search_call",
    "id": "ws_1",
    "status": "completed",
    "action": {"type": "search", "query": "q"},
}
ANSWER = {"type": "message", "role": "assistant", "content": "Done."}


@pytest.mark.parametrize(
    "items",
    [
        [ASKED, SAID],
        [ASKED, THOUGHT, SEARCHED, SAID, ANSWER],
        [ASKED, CALLED, SAID, ANSWERED],
        [ASKED, THOUGHT, CALLED, WRITTEN, ANSWERED, READ, ANSWER],
        [ASKED, WRITTEN, ANSWER, READ],
        [
            {**ASKED, "content": [{"type": "input_text", "text": "x"}], "status": "completed"},
            {**ANSWER, "phase": "final_answer"},
        ],
        [
            {
                **ASKED,
                "content": [
                    {
                        "type": "input_text",
                        "text": "x",
                        "prompt_cache_breakpoint": {"mode": "explicit"},
                    },
                    {
                        "type": "input_image",
                        "image_url": f"data:image/png;base64,{PNG}",
                        "detail": "low",
                    },
                    {"type": "input_image", "file_id": "file-1", "detail": "auto"},
                    {"type": "input_file", "file_id": "file-1"},
                    {"type": "input_file", "file_url": "https://example.com/a.pdf"},
                ],
            }
        ],
    ],
)
def test_items_come_back_as_they_were(items: list[dict[str, Any]]):
    sent = to_openai_responses(history_from_openai_responses(items))
    assert sent == items
    assert sdks.accepted(sdks.RESPONSES, sent) == sent


def test_a_text_is_a_conversation():
    assert history_from_openai_responses("x") == [user("x")]


def test_a_message_may_leave_out_its_type():
    assert history_from_openai_responses([{"role": "user", "content": "x"}]) == [user("x")]


def test_what_a_model_says_without_a_pause_is_one_message():
    history = history_from_openai_responses([ASKED, ANSWER, ANSWER])
    assert history == [user(), assistant([text_part("Done."), text_part("Done.")])]


def test_every_item_that_is_kept_as_it_is_is_one_of_openais():
    kinds = str(sdks.RESPONSES.json_schema())
    assert [kind for kind in OTHER_ITEMS if f"'const': '{kind}'" not in kinds] == []


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([{"type": "dance"}], "items[0]: this is not an item of a conversation: found 'dance'"),
        (
            [{"type": "message", "role": "robot"}],
            "items[0]: this is not an item of a conversation: found 'robot'",
        ),
        ([{}], "items[0]: this is not an item of a conversation"),
        ([{**CALLED, "arguments": {}}], "items[0].arguments: this must be a text: found {}"),
        (
            [{**ANSWER, "content": [{"type": "input_file", "file_id": "x"}]}],
            "items[0]: a model's message holds text and refusals: found 'input_file'",
        ),
    ],
)
def test_what_is_no_item_is_refused(items, expected):
    with pytest.raises(InputError) as caught:
        history_from_openai_responses(items)
    assert str(caught.value) == expected
