"""Every shape that the engine lets through is read; what cannot be read is named, with its place."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from biblicus_context.errors import FormatError, InputError
from biblicus_context.formats import history_from_openai, to_anthropic, to_openai
from tests.formats import sdks
from tests.formats.speaking import assistant, call, exchange, result, user
from tests.formats.strategies import PNG, image_part, text_part

DATA_URL = f"data:image/png;base64,{PNG}"
CALLS = [call('{"id":7}')]


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        (user(["a", "b"]), user([text_part("a"), text_part("b")])),
        (user([{"text": "Hello."}]), user()),
        (user([{"type": "input_text", "text": "Hello."}]), user()),
        (user([text_part("Hello.", annotations=[], logprobs=None)]), user()),
        ({"role": "model", "content": "Hi."}, assistant("Hi.")),
        (
            assistant("Hi.", refusal=None, tool_calls=None, audio=None, annotations=[]),
            assistant("Hi."),
        ),
        (assistant([{"type": "output_text", "text": "Hi."}]), assistant("Hi.")),
        (assistant("", refusal="No."), assistant(refusal="No.")),
        (assistant([{"type": "refusal", "refusal": "No."}]), assistant(refusal="No.")),
        (assistant("", tool_calls=CALLS), assistant(tool_calls=CALLS)),
        (assistant(tool_calls=[{**CALLS[0], "index": 0}]), assistant(tool_calls=CALLS)),
        (
            assistant(
                tool_calls=[{"id": "c1", "function": {"name": "track", "arguments": {"id": 7}}}]
            ),
            assistant(tool_calls=CALLS),
        ),
        (
            assistant([{"type": "tool_use", "id": "c1", "name": "track", "input": {"id": 7}}]),
            assistant(tool_calls=CALLS),
        ),
        (
            assistant([{"type": "tool_call", "id": "c1", "name": "track", "args": {"id": 7}}]),
            assistant(tool_calls=CALLS),
        ),
        (assistant("Hi.", reasoning_content=""), assistant("Hi.")),
        (assistant("Hi.", reasoning_content="Hm."), assistant("Hi.", reasoning_content="Hm.")),
        (result(None), result("")),
        (result(name="track"), result(name="track")),
        (result([]), result("")),
        (user([{"type": "image_url", "image_url": DATA_URL}]), user([image_part(DATA_URL)])),
        (user([image_part(DATA_URL, detail="auto")]), user([image_part(DATA_URL)])),
        (user([image_part(DATA_URL, detail="low")]), user([image_part(DATA_URL, detail="low")])),
        (
            user([{"type": "input_image", "image_url": DATA_URL, "detail": "low"}]),
            user([image_part(DATA_URL, detail="low")]),
        ),
        (
            user([{"type": "input_image", "file_id": "file-1", "image_url": None}]),
            user([{"type": "input_image", "file_id": "file-1"}]),
        ),
        (
            user(
                [
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": PNG},
                    }
                ]
            ),
            user([image_part(DATA_URL)]),
        ),
        (
            user([{"type": "image", "source": {"type": "url", "url": "https://example.com/a"}}]),
            user([image_part("https://example.com/a")]),
        ),
        (
            user([{"type": "image", "base64": PNG, "mime_type": "image/png"}]),
            user([image_part(DATA_URL)]),
        ),
        (
            user([{"inlineData": {"mimeType": "image/png", "data": PNG}}]),
            user([image_part(DATA_URL)]),
        ),
        (
            user([{"inline_data": {"mime_type": "audio/wav", "data": PNG}}]),
            user([{"inline_data": {"mime_type": "audio/wav", "data": PNG}}]),
        ),
        (
            user([{"type": "image", "image": {"bytes": b"\x00\x01"}}]),
            user([{"type": "image", "image": {"bytes": "AAE="}}]),
        ),
        (
            {"role": "function", "name": "f", "content": "x"},
            {"role": "function", "name": "f", "content": "x"},
        ),
    ],
)
def test_a_message_is_read_whatever_its_shape(written, normal):
    before = copy.deepcopy(written)
    assert history_from_openai([written]) == [normal]
    assert written == before


def test_results_in_anthropics_shape_are_messages_of_their_own():
    block = {"type": "tool_result", "tool_use_id": "c1", "content": "gone", "is_error": True}
    history = history_from_openai([assistant(tool_calls=CALLS), user([block, text_part("So?")])])
    assert history[1:] == [result(is_error=True), user("So?")]


def test_objects_of_the_sdks_are_read_wherever_they_stand():
    block = sdks.anthropic.types.ToolUseBlock(
        id="c1", name="track", input={"id": 7}, type="tool_use"
    )
    assert history_from_openai([assistant([block])]) == [assistant(tool_calls=CALLS)]


def test_calls_among_the_content_stay_among_it():
    said = [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}, text_part("Wait.")]
    assert history_from_openai([assistant(said)]) == [assistant(said)]
    blocks = to_anthropic([user(), assistant(said), result(), user()])["messages"][1]["content"]
    assert [block["type"] for block in blocks] == ["tool_use", "text"]


@pytest.mark.parametrize("way", ["custom", "no JSON"])
def test_any_call_can_stand_among_the_content(way):
    block: dict[str, Any] = {"type": "tool_use", "id": "c1", "name": "f", "input": "{ }"}
    if way == "custom":
        block["kind"] = "custom"
    said = [block, text_part("Wait.")]
    assert history_from_openai([assistant(said)]) == [assistant(said)]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ("Hello.", "messages: this must be a list: found 'Hello.'"),
        (["Hello."], "messages[0]: this must be a mapping: found 'Hello.'"),
        ([{"content": "x"}], "messages[0].role: this is missing"),
        ([{"role": "robot"}], "messages[0].role: unknown role: found 'robot'. Valid: system, "),
        ([user(7)], "messages[0].content: this must be a list: found 7"),
        ([user([7])], "messages[0].content[0]: this must be a mapping: found 7"),
        ([user([{"type": "text"}])], "messages[0].content[0].text: this is missing"),
        ([user([{}])], "messages[0].content[0]: a part needs a type"),
        ([user(name=7)], "messages[0].name: this must be a text: found 7"),
        (
            [user("x\ud800")],
            "messages[0].content: half of a surrogate pair at character 1 cannot be ",
        ),
        ([user(more={"x": object})], "messages[0].more.x: type cannot be written as JSON: found "),
        ([user(more=float("nan"))], "messages[0].more: float cannot be written as JSON: found nan"),
        ([user(more={1: 2})], "messages[0].more: keys must be text: found 1"),
        (
            [user([image_part("data:image/png,x")])],
            "messages[0].content[0]: this is not a data URL",
        ),
        (
            [user([image_part("parcel.png")])],
            "messages[0].content[0]: an image needs an address or",
        ),
        (
            [user([image_part("https://[")])],
            "messages[0].content[0]: an image needs an address or a data URL: found 'https://['",
        ),
        (
            [user([{"type": "image", "base64": "?", "mime_type": "image/png"}])],
            "messages[0].content[0]: the bytes of an image must be base64: found '?'",
        ),
        (
            [assistant(tool_calls=[{}])],
            "messages[0].tool_calls[0].function: this must be a mapping",
        ),
        (
            [result(is_error="yes")],
            "messages[0].is_error: this must be true or false: found 'yes'",
        ),
        ([result(identity=None)], "messages[0].tool_call_id: this is missing"),
        (
            [result([{"type": "thinking", "thinking": "Hm."}])],
            "messages[0].content: a tool's result holds text, images or files: found 'reasoning'",
        ),
        (
            [user([{"type": "tool_result", "tool_use_id": "c1"}], name="ada")],
            "messages[0]: a message of tool results has no other keys: found 'name'",
        ),
    ],
)
def test_what_cannot_be_read_is_named(messages, expected):
    with pytest.raises(InputError) as caught:
        history_from_openai(messages)
    assert str(caught.value).startswith(expected)


def test_what_is_nested_too_deeply_is_refused():
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError, match=r"messages\[0\]: this is nested too deeply"):
        history_from_openai([user(more=deep)])


def test_foreign_things_can_be_dropped_and_the_rest_stays():
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"}
    messages = [
        user(timestamp=1),
        assistant([thinking, text_part("Hi.", citations=[{"x": 1}])], id="msg_1"),
        assistant([thinking]),
        *exchange()[1:2],
        result(is_error=True),
    ]
    assert to_openai(messages, foreign="drop") == [
        user(),
        assistant("Hi."),
        *exchange()[1:],
    ]


def test_a_text_that_only_carried_a_foreign_key_goes_with_it():
    signed = [text_part("Hi."), text_part("", thought_signature="c2ln")]
    messages = [user(), assistant(signed), user()]
    assert to_anthropic(messages, cache="off", foreign="drop")["messages"][1] == assistant(
        [text_part("Hi.")]
    )


def test_servers_that_know_more_keys_get_them():
    messages = [
        user("Hello.", cache_control={"type": "ephemeral"}),
        assistant("x", reasoning_content="y"),
    ]
    assert to_openai(messages, foreign="keep") == messages
    with pytest.raises(InputError, match="Valid: error, drop"):
        to_anthropic(messages, foreign="keep")  # type: ignore[arg-type] # what a caller may try


def test_servers_that_add_to_a_call_get_it_back_where_it_was():
    added = call()
    added["function"]["strict"] = True
    messages = [user(), assistant(tool_calls=[{**added, "extra_content": {"x": 1}}]), result()]
    assert to_openai(messages, foreign="keep") == messages
    older = {"role": "function", "name": "f", "content": "x"}
    legacy = assistant(function_call={"name": "f", "arguments": "{}", "x": 1})
    assert to_openai([user(), legacy, older], foreign="keep") == [user(), legacy, older]
    with pytest.raises(FormatError, match="does not know this"):
        to_openai(messages)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png", "x": 1}},
        {"inline_data": {"mime_type": "image/png", "data": PNG, "display_name": "a"}},
        {"type": "tool_use", "id": "c1", "name": "f", "kind": "dance"},
    ],
)
def test_a_key_that_nobody_knows_is_refused_wherever_it_stands(part):
    with pytest.raises(FormatError, match="does not know this"):
        to_anthropic([user(), assistant([part]), result()])


def test_an_earlier_answer_in_audio_needs_no_text():
    spoken = {"role": "assistant", "content": None, "audio": {"id": "audio_1"}}
    assert to_openai([user(), spoken]) == [user(), spoken]


def test_the_old_function_call_still_goes_to_openai():
    messages = [
        user(),
        assistant(function_call={"name": "f", "arguments": "{}"}),
        {"role": "function", "name": "f", "content": "x"},
    ]
    assert to_openai(messages) == messages


@pytest.mark.parametrize(
    ("said", "kept"),
    [({}, False), ({"audio": {"id": "a1"}}, True), ({"refusal": "No."}, True)],
    ids=["nothing", "audio", "a refusal"],
)
def test_an_answer_of_openai_in_which_nothing_is_said_is_left_out(said, kept: bool):
    history = history_from_openai([user(), assistant(**said), user("And?")])
    assert [each["role"] for each in to_openai(history)] == (
        ["user", "assistant", "user"] if kept else ["user", "user"]
    )
