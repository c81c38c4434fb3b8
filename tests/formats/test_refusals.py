"""What a provider cannot say is an error with the message, what was found, why, and what to do."""

from __future__ import annotations

import pytest

from biblicus_context import ContextError
from biblicus_context.formats import (
    FormatError,
    to_anthropic,
    to_gemini,
    to_langchain,
    to_openai,
    to_openai_responses,
    to_pydantic_ai,
)
from tests.formats.speaking import PICTURE, THINKING, assistant, call, exchange, result, user
from tests.formats.strategies import image_part, text_part

CUSTOM = {"id": "c1", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
ALL = {
    "OpenAI chat": to_openai,
    "OpenAI Responses": to_openai_responses,
    "Anthropic": to_anthropic,
    "Gemini": to_gemini,
    "LangChain": to_langchain,
    "pydantic-ai": to_pydantic_ai,
}


@pytest.mark.parametrize("provider", ALL)
@pytest.mark.parametrize(
    ("messages", "refused"),
    [
        (
            [user(), assistant(tool_calls=[call()])],
            "wants the results of tool calls directly behind",
        ),
        ([user(), assistant(tool_calls=[call()]), user()], "wants the results of tool calls"),
        ([user(), result()], "wants a tool's result directly behind its call"),
        ([*exchange(), result()], "wants a tool's result directly behind its call, and once"),
        ([user(), assistant(tool_calls=[call(), call()]), result()], "wants an id of its own"),
        (
            [*exchange()[:2], result(name="find")],
            "has the tool's name in the call, which is 'track'",
        ),
        (exchange(identity=""), "does not take a call of this id"),
        ([user(), assistant(), user()], "wants content in each message"),
    ],
)
def test_no_provider_takes(provider, messages, refused):
    with pytest.raises(FormatError) as caught:
        ALL[provider](messages)
    assert f"]: {provider} {refused}" in str(caught.value)


@pytest.mark.parametrize(
    ("provider", "messages", "expected"),
    [
        (
            "OpenAI chat",
            [user(), assistant([THINKING, text_part("Hi.")])],
            "messages[1]: OpenAI chat cannot read the reasoning of another provider: found "
            "{'type': 'thinking', 'thinking': 'Hm.', 'signature': 'EqQB'}. "
            "Take it out, or hand in foreign='drop'.",
        ),
        (
            "OpenAI chat",
            exchange([PICTURE]),
            "messages[2]: OpenAI chat takes only text as a tool's result: found 'Image'",
        ),
        (
            "OpenAI chat",
            [user([{"type": "document", "source": {"type": "text"}}])],
            "messages[0]: OpenAI chat takes text, images, audio and files in a user message: "
            "found 'document'",
        ),
        (
            "OpenAI chat",
            [user(), {"role": "system", "content": [PICTURE]}],
            "messages[1]: OpenAI chat takes only text in a system message: found 'Image'",
        ),
        (
            "OpenAI chat",
            [user(name="Ada Lovelace")],
            "messages[0]: OpenAI chat does not take a speaker of this name: found 'Ada Lovelace'",
        ),
        (
            "OpenAI chat",
            [*exchange()[:2], result(is_error=True)],
            "messages[2]: OpenAI chat cannot mark a tool's result as a failure: "
            "found {'is_error': True}. Take it out, or hand in foreign='drop'.",
        ),
        (
            "OpenAI chat",
            [
                user(),
                assistant([{"type": "tool_use", "id": "c1", "name": "f"}, text_part("x")]),
                result(),
            ],
            "messages[1]: OpenAI chat writes tool calls behind the content. Put the text that "
            "follows a call in front of it, or send to the Responses API.",
        ),
        (
            "OpenAI chat",
            exchange(name="math.add"),
            "messages[1]: OpenAI chat does not take a tool of this name: found 'math.add'",
        ),
        (
            "OpenAI Responses",
            [user(name="ada")],
            "messages[0]: OpenAI Responses has no names of speakers: found 'ada'. "
            "Leave the name out, or write it into the text.",
        ),
        (
            "OpenAI Responses",
            [user(), assistant(refusal="No.")],
            "messages[1]: OpenAI Responses takes back only refusals with the id of their message: "
            "found 'No.'. Write it as content.",
        ),
        (
            "OpenAI Responses",
            [user(), assistant([text_part("x", annotations=[{"type": "file_path"}])])],
            "messages[1]: OpenAI Responses takes these keys only with the id of their message: "
            "found {'annotations': [{'type': 'file_path'}]}. Leave them out.",
        ),
        (
            "OpenAI Responses",
            [user([{"type": "input_audio", "input_audio": {}}])],
            "messages[0]: OpenAI Responses takes no input_audio in a message of role user",
        ),
        (
            "OpenAI Responses",
            [user(), assistant([PICTURE])],
            "messages[1]: OpenAI Responses takes no image here",
        ),
        (
            "Anthropic",
            [user(), assistant("Hi."), {"role": "system", "content": "Be brief."}, user()],
            "messages[2]: Anthropic has its system prompt in front of the conversation: found "
            "'system'. Place this text before the history, or hand in late_system='user'.",
        ),
        (
            "Anthropic",
            [assistant("Hi."), user()],
            "messages[0]: Anthropic wants a user message first, behind the system prompt: found "
            "'assistant'. Let the plan's history start_on: user.",
        ),
        (
            "Anthropic",
            [{"role": "system", "content": "Be brief."}],
            "messages: Anthropic wants a message besides the system prompt. "
            "Give the plan a user message.",
        ),
        (
            "Anthropic",
            [{"role": "system", "content": None}, user()],
            "messages[0]: Anthropic takes text, and only text, in a system message",
        ),
        (
            "Anthropic",
            exchange(arguments='{"id": 7'),
            "messages[1]: Anthropic takes the arguments of track only as a JSON object; they are "
            "not JSON (Expecting ',' delimiter: line 1 column 9 (char 8)): found '{\"id\": 7'. "
            "Leave this call and its result out, or correct the arguments.",
        ),
        (
            "Anthropic",
            [*exchange(identity="call:1")[:2], result(identity="call:1")],
            "messages[1]: Anthropic does not take a call of this id: found 'call:1'",
        ),
        (
            "Anthropic",
            [*exchange(), *exchange()],
            "messages[4]: Anthropic wants an id of its own for each tool call: found 'c1'",
        ),
        (
            "Anthropic",
            [user(" \n")],
            "messages[0]: Anthropic takes no empty text: found ' \\n'. "
            "Leave the message or the part out.",
        ),
        (
            "Anthropic",
            [user(), assistant("The answer is ")],
            "messages[1]: Anthropic takes no white space at the end of a beginning that it is to "
            "go on from: found 'The answer is '. Strip it.",
        ),
        (
            "Anthropic",
            [user([image_part("http://example.com/a.png")])],
            "messages[0]: Anthropic fetches images only by https: found 'http://example.com/a.png'",
        ),
        (
            "Anthropic",
            [user([image_part("data:image/tiff;base64,AAAA")])],
            "messages[0]: Anthropic takes images as image/jpeg, image/png, image/gif, image/webp: "
            "found 'image/tiff'. Convert the image.",
        ),
        (
            "Anthropic",
            [user(), assistant(refusal="No.")],
            "messages[1]: Anthropic takes no refusal in a message of role assistant. Write it as content.",
        ),
        (
            "Anthropic",
            [user([{"type": "input_audio", "input_audio": {}}])],
            "messages[0]: Anthropic takes no input_audio in a message of role user",
        ),
        (
            "Anthropic",
            [user(), assistant(tool_calls=[CUSTOM]), result()],
            "messages[1]: Anthropic has no custom tools, which take any text: found 'sql'",
        ),
        (
            "Gemini",
            [user(), assistant(function_call={"name": "f", "arguments": "{}"})],
            "messages[1]: Gemini has no function_call, which tool_calls replaced: found 'f'",
        ),
        ("Gemini", [user("")], "messages[0]: Gemini takes no empty text. Leave the message out."),
        (
            "Gemini",
            [user([image_part("https://example.com/parcel")])],
            "messages[0]: Gemini wants to know what kind of image is behind an address: found "
            "'https://example.com/parcel'. Add mime_type to the part, or hand in the image as a "
            "data URL.",
        ),
        (
            "Gemini",
            exchange([PICTURE, text_part("x")]),
            "messages[2]: Gemini takes a tool's result as texts and files behind them, a failure "
            "as one text: found 'image, text'",
        ),
        (
            "Gemini",
            [*exchange()[:2], result([text_part("a"), text_part("b")], is_error=True)],
            "messages[2]: Gemini takes a tool's result as texts and files behind them, a failure "
            "as one text: found 'text, text'",
        ),
        (
            "Gemini",
            [user(), assistant(refusal="No.")],
            "messages[1]: Gemini takes no refusal. Write it as content.",
        ),
        (
            "Gemini",
            exchange(arguments='{"a": 1, "a": 2}'),
            "messages[1]: Gemini takes the arguments of track only as a JSON object; they name a "
            'key twice: found \'{"a": 1, "a": 2}\'. Leave this call and its result out, or '
            "correct the arguments.",
        ),
        (
            "LangChain",
            [
                user(),
                assistant(tool_calls=[call("no JSON"), call(identity="c2")]),
                result(),
                result(identity="c2"),
            ],
            "messages[1]: LangChain keeps calls whose arguments are no JSON object behind the "
            "others: found 'no JSON'. Leave this call and its result out, or correct the arguments.",
        ),
        (
            "pydantic-ai",
            [{"role": "system", "content": [text_part("a"), text_part("b")]}, user()],
            "messages[0]: pydantic-ai takes one text in a message of role system",
        ),
        (
            "pydantic-ai",
            exchange([text_part("a"), text_part("b")]),
            "messages[2]: pydantic-ai takes a tool's result as one text, and images behind it: "
            "found 'text, text'",
        ),
        (
            "pydantic-ai",
            exchange([{"type": "document"}]),
            "messages[2]: pydantic-ai takes a tool's result as one text, and images behind it: "
            "found 'other'",
        ),
        (
            "pydantic-ai",
            [user(), assistant([image_part("https://example.com/a.png")])],
            "messages[1]: pydantic-ai takes no image in a message of role assistant",
        ),
        (
            "pydantic-ai",
            [user([{"type": "file", "file": {}}, text_part("x")])],
            "messages[0]: pydantic-ai takes no file in a message of role user",
        ),
        (
            "pydantic-ai",
            [user(), assistant([{"type": "reasoning", "id": "rs_1", "summary": [{"text": "x"}]}])],
            "messages[1]: pydantic-ai has no fields for this reasoning: found {'type': "
            "'reasoning', 'id': 'rs_1', 'summary': [{'text': 'x'}]}. Take it out.",
        ),
        (
            "OpenAI Responses",
            [user(item="msg_1")],
            "messages[0]: OpenAI Responses keeps the keys of an item as a mapping: found 'msg_1'",
        ),
        (
            "pydantic-ai",
            [user(), assistant([{"type": "reasoning", "reasoning": "x", "id": "lc_1"}])],
            "messages[1]: pydantic-ai has no fields for this reasoning: found {'type': "
            "'reasoning', 'reasoning': 'x', 'id': 'lc_1'}. Take it out.",
        ),
        (
            "pydantic-ai",
            [user(), assistant([{**THINKING, "more": 1}, text_part("x")])],
            "messages[1]: pydantic-ai has no fields for this reasoning: found {'type': 'thinking', "
            "'thinking': 'Hm.', 'signature': 'EqQB', 'more': 1}. Take it out.",
        ),
    ],
)
def test_a_refusal_says_what_and_why(provider, messages, expected):
    with pytest.raises(FormatError) as caught:
        ALL[provider](messages)
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("[1]", "they are JSON, but not an object"),
        ('{"a": NaN}', "they hold NaN, which JSON does not have"),
        ('{"a": 1e999}', "they hold 1e999, which is too large a number"),
        ('{"a": "\\ud800"}', "they hold half of a surrogate pair"),
        ('{"a":' + "[" * 100_000, "they are nested too deeply"),
        ('{"a": ' + "9" * 5_000 + "}", "they are not JSON"),
    ],
)
def test_arguments_that_would_have_to_change_are_refused(arguments, reason):
    with pytest.raises(FormatError, match=reason):
        to_anthropic(exchange(arguments=arguments))


def test_no_arguments_are_an_empty_object():
    sent = to_anthropic(exchange(arguments=" "), cache="off")
    assert sent["messages"][1]["content"][0]["input"] == {}


@pytest.mark.parametrize(
    ("send", "options", "expected"),
    [
        (
            to_openai,
            {"foreign": "ignore"},
            "foreign: unknown way: found 'ignore'. Valid: error, drop",
        ),
        (to_anthropic, {"cache": "on"}, "cache: unknown way: found 'on'. Valid: auto, off, a list"),
        (to_anthropic, {"ttl": "2h"}, "ttl: unknown lifetime: found '2h'. Valid: 5m, 1h"),
        (
            to_anthropic,
            {"late_system": "x"},
            "late_system: unknown way: found 'x'. Valid: error, user",
        ),
        (to_gemini, {"late_system": "system"}, "late_system: unknown way: found 'system'"),
        (to_gemini, {"signatures": "x"}, "signatures: unknown way: found 'x'. Valid: given, skip"),
    ],
)
def test_an_option_that_does_not_exist_is_named(send, options, expected):
    with pytest.raises(ContextError) as caught:
        send([user()], **options)
    assert str(caught.value).startswith(expected)
