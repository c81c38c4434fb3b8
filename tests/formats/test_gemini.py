"""Gemini: results are objects, signatures stay with their parts, ids may be missing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import FormatError, InputError
from biblicus_context.formats import history_from_gemini, to_gemini
from tests.formats import sdks
from tests.formats.speaking import assistant, call, exchange, result, user
from tests.formats.strategies import (
    PNG,
    compact,
    image_part,
    objects,
    part_of_the_examples,
    text_part,
    words,
)

PICTURE = image_part(f"data:image/png;base64,{PNG}")


def response(answer: Any, **more: Any) -> dict[str, Any]:
    contents = to_gemini([*exchange()[:2], result(answer, **more)])["contents"]
    return contents[2]["parts"][0]["function_response"]


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ("gone", {"output": "gone"}),
        ("", {"output": ""}),
        ('{"days":3}', {"days": 3}),
        ('{"days": 3}', {"output": '{"days": 3}'}),
        ('{"output":"x"}', {"output": '{"output":"x"}'}),
        ('{"output":["x","y"]}', {"output": '{"output":["x","y"]}'}),
        ('{"output":["x"]}', {"output": ["x"]}),
        ('{"error":"x"}', {"output": '{"error":"x"}'}),
        ('{"error":"x","code":1}', {"error": "x", "code": 1}),
        ("[1]", {"output": "[1]"}),
        ("{}", {}),
        ([text_part("x"), text_part("y")], {"output": ["x", "y"]}),
        ([text_part("{}"), PICTURE], {"output": "{}"}),
        ([PICTURE], {}),
    ],
)
def test_a_result_is_an_object_that_says_the_same(answer, written):
    assert response(answer)["response"] == written


def test_a_failure_says_what_failed():
    assert response("no such parcel", is_error=True)["response"] == {"error": "no such parcel"}


_TEXTS = st.one_of(
    words, st.just(""), objects.map(compact), st.sampled_from(["{}", '{"output":"x"}'])
)


@part_of_the_examples
@given(
    st.one_of(
        _TEXTS,
        st.lists(_TEXTS.map(text_part), min_size=2, max_size=3),
        st.lists(_TEXTS.map(text_part), max_size=2).map(lambda texts: [*texts, PICTURE]),
    )
)
def test_every_result_comes_back(answer):
    messages = [*exchange()[:2], result(answer)]
    assert history_from_gemini(to_gemini(messages)["contents"]) == messages


@part_of_the_examples
@given(
    st.one_of(
        objects,
        st.builds(
            lambda key, value: {key: value},
            st.sampled_from(["output", "error"]),
            st.one_of(words, st.lists(words, max_size=3), objects),
        ),
    )
)
def test_every_response_comes_back(written):
    contents = [
        {"role": "user", "parts": [{"text": "Hello."}]},
        {"role": "model", "parts": [{"function_call": {"id": "c1", "name": "f", "args": {}}}]},
        {
            "role": "user",
            "parts": [{"function_response": {"id": "c1", "name": "f", "response": written}}],
        },
    ]
    assert to_gemini(history_from_gemini(contents))["contents"] == contents


def test_results_stand_apart_from_what_a_user_says():
    contents = to_gemini([*exchange(), user("So?")])["contents"]
    assert [content["role"] for content in contents] == ["user", "model", "user", "user"]
    assert contents[3]["parts"] == [{"text": "So?"}]


AUDIO = {"inline_data": {"mime_type": "audio/wav", "data": "AAAA"}}


def answered(*parts: Any) -> list[dict[str, Any]]:
    said = {"id": "c1", "name": "track", "response": {}, "parts": [*parts]}
    contents = to_gemini([*exchange()[:2], result()])["contents"]
    return [*contents[:2], {"role": "user", "parts": [{"function_response": said}]}]


def test_files_of_a_response_come_back():
    contents = answered(AUDIO, {"inline_data": {"mime_type": "image/png", "data": PNG}})
    history = history_from_gemini(contents)
    assert history[2]["content"] == [AUDIO, PICTURE]
    assert to_gemini(history)["contents"] == contents


def test_only_files_are_parts_of_a_response():
    with pytest.raises(
        InputError, match=r"the parts of a response must be files: found \['text'\]"
    ):
        history_from_gemini(answered({"text": "x"}))
    for part in ({"type": "document"}, {**PICTURE, "part_metadata": {"a": 1}}):
        with pytest.raises(FormatError, match="takes only files after the text of a tool's result"):
            to_gemini([*exchange()[:2], result([text_part("x"), part])])


def test_calls_without_ids_get_some_and_find_their_responses():
    calls = [{"functionCall": {"name": name, "args": {}}} for name in ("f", "g", "f")]
    answers = [
        {"functionResponse": {"name": name, "response": {"output": said}}}
        for name, said in (("g", "1"), ("f", "2"), ("f", "3"))
    ]
    history = history_from_gemini(
        ["Hello.", {"role": "model", "parts": calls}, {"role": "function", "parts": answers}]
    )
    assert [one["id"] for one in history[1]["tool_calls"]] == ["call-1-0", "call-1-1", "call-1-2"]
    assert [(one["tool_call_id"], one["content"]) for one in history[2:]] == [
        ("call-1-1", "1"),
        ("call-1-0", "2"),
        ("call-1-2", "3"),
    ]


def test_an_answer_to_a_call_from_before_keeps_its_id():
    answer = {"function_response": {"id": "c9", "name": "f", "response": {}}}
    assert history_from_gemini([{"parts": [answer]}]) == [result("{}", identity="c9")]
    with pytest.raises(InputError, match=r"contents\[0\]: this response has no call"):
        history_from_gemini([{"parts": [{"function_response": {"name": "f"}}]}])


def test_a_call_of_another_model_can_be_sent_unsigned_or_with_the_signature_for_that():
    calls = [call(identity="c1"), call(identity="c2")]
    messages = [user(), assistant(tool_calls=calls), result(), result(identity="c2")]
    assert "thought_signature" not in str(to_gemini(messages))
    contents = to_gemini(messages, signatures="skip")["contents"]
    parts = [sdks.gemini.Part.model_validate(part) for part in contents[1]["parts"]]
    assert [part.thought_signature for part in parts] == [b"skip_thought_signature_validator", None]
    assert history_from_gemini(contents) == messages
    signed = [{**calls[0], "thought_signature": "c2ln"}, calls[1]]
    own = [user(), assistant(tool_calls=signed), *messages[2:]]
    assert to_gemini(own, signatures="skip") == to_gemini(own)


@pytest.mark.parametrize(
    "part",
    [
        {"executable_code": {"language": "PYTHON", "code": "1"}},
        {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "1"}},
        {"inline_data": {"mime_type": "audio/wav", "data": "AAAA"}},
        {"file_data": {"mime_type": "application/pdf", "file_uri": "https://example.com/a.pdf"}},
        {"file_data": {"mime_type": "image/png", "file_uri": "https://example.com/a"}},
        {"text": "", "thought_signature": "c2ln"},
        {"text": "x", "part_metadata": {"ownKey": 1}},
        {
            "inline_data": {"mime_type": "image/png", "data": PNG},
            "media_resolution": {"level": "x"},
        },
    ],
)
@pytest.mark.parametrize("spelling", ["snake", "camel"])
def test_parts_that_only_gemini_has_come_back_as_they_were(part, spelling):
    written = camel(part) if spelling == "camel" else part
    contents = [{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": [written]}]
    history = history_from_gemini(contents)
    assert to_gemini(history)["contents"][1]["parts"] == [part]


def camel(part: dict[str, Any]) -> dict[str, Any]:
    def spelled(key: str) -> str:
        head, *rest = key.split("_")
        return head + "".join(map(str.capitalize, rest))

    return {
        spelled(key): camel(item) if isinstance(item, dict) and key != "part_metadata" else item
        for key, item in part.items()
    }


def test_a_signature_alone_is_a_part():
    history = history_from_gemini([{"role": "model", "parts": [{"thoughtSignature": "c2ln"}]}])
    assert history == [assistant([text_part("", thought_signature="c2ln")])]


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (
            [{"role": "system"}],
            "contents[0].role: unknown role: found 'system'. Valid: user, model",
        ),
        (
            [{"parts": [{"video_metadata": {}}]}],
            "contents[0]: this is not a known kind of part",
        ),
        ([{"parts": [], "x": 1}], "contents[0]: a content has a role and parts: found {'x': 1}"),
        ([{"parts": "x"}], "contents[0].parts: this must be a list: found 'x'"),
    ],
)
def test_what_is_not_geminis_is_refused(contents, expected):
    with pytest.raises(InputError) as caught:
        history_from_gemini(contents)
    assert str(caught.value).startswith(expected)


def test_a_conversation_may_be_one_text():
    expected = [{"role": "system", "content": "Be kind."}, user("Hello.")]
    assert history_from_gemini("Hello.", "Be kind.") == expected
