"""What a provider cannot say is an error with the message, what was found, why, and what to do."""

from __future__ import annotations

import pytest

from biblicus_context import ContextError
from biblicus_context.errors import FormatError
from biblicus_context.formats import (
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
            "needs the results of tool calls directly after",
        ),
        ([user(), assistant(tool_calls=[call()]), user()], "needs the results of tool calls"),
        ([user(), result()], "needs exactly one result directly after each tool call"),
        ([*exchange(), result()], "needs exactly one result directly after each tool call"),
        ([user(), assistant(tool_calls=[call(), call()]), result()], "needs a unique id"),
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
            "Remove it, or pass foreign='drop'.",
        ),
        (
            "OpenAI chat",
            exchange([PICTURE]),
            "messages[2]: OpenAI chat takes only text as a tool's result: found 'image'",
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
            "messages[1]: OpenAI chat takes only text in a system message: found 'image'",
        ),
        (
            "OpenAI chat",
            [user(name="Ada Lovelace")],
            "messages[0]: OpenAI chat does not take a speaker of this name: found 'Ada Lovelace'",
        ),
        (
            "OpenAI chat",
            [*exchange()[:2], result(is_error=True)],
            "messages[2]: OpenAI chat cannot mark a tool's result as failed: "
            "found {'is_error': True}. Remove it, or pass foreign='drop'.",
        ),
        (
            "OpenAI chat",
            [
                user(),
                assistant([{"type": "tool_use", "id": "c1", "name": "f"}, text_part("x")]),
                result(),
            ],
            "messages[1]: OpenAI chat writes tool calls after the content. Put the text before "
            "the call, or use the Responses API.",
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
            "Leave out the name, or write it into the text.",
        ),
        (
            "OpenAI Responses",
            [user(), assistant(refusal="No.")],
            "messages[1]: OpenAI Responses takes refusals only with the id of their message: "
            "found 'No.'. Write it as content.",
        ),
        (
            "OpenAI Responses",
            [user(), assistant([text_part("x", annotations=[{"type": "file_path"}])])],
            "messages[1]: OpenAI Responses takes these keys only with the id of their message: "
            "found {'annotations': [{'type': 'file_path'}]}. Leave out these keys.",
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
            "messages[2]: Anthropic takes system text only before the conversation: found "
            "'system'. Place this text before the history, or pass late_system='user'.",
        ),
        (
            "Anthropic",
            [assistant("Hi."), user()],
            "messages[0]: Anthropic needs a user message directly after the system prompt: found "
            "'assistant'. Set start_on: user for the plan's history.",
        ),
        (
            "Anthropic",
            [{"role": "system", "content": "Be brief."}],
            "messages: Anthropic needs a message besides the system prompt. "
            "Add a user message to the plan.",
        ),
        (
            "Anthropic",
            [{"role": "system", "content": None}, user()],
            "messages[0]: Anthropic takes only text in a system message",
        ),
        (
            "Anthropic",
            exchange(arguments='{"id": 7'),
            "messages[1]: Anthropic takes the arguments of track only as a JSON object; they are "
            "not JSON (Expecting ',' delimiter: line 1 column 9 (char 8)): found '{\"id\": 7'. "
            "Leave out this call and its result, or correct the arguments.",
        ),
        (
            "Anthropic",
            [*exchange(identity="call:1")[:2], result(identity="call:1")],
            "messages[1]: Anthropic does not take a call of this id: found 'call:1'",
        ),
        (
            "Anthropic",
            [*exchange(), *exchange()],
            "messages[4]: Anthropic needs a unique id for each tool call: found 'c1'",
        ),
        (
            "Anthropic",
            [user(" \n")],
            "messages[0]: Anthropic does not take empty text: found ' \\n'. "
            "Leave out the message or the part.",
        ),
        (
            "Anthropic",
            [user(), assistant("The answer is ")],
            "messages[1]: Anthropic does not take white space at the end of a message that it "
            "continues: found 'The answer is '. Strip it.",
        ),
        (
            "Anthropic",
            [user([image_part("http://example.com/a.png")])],
            "messages[0]: Anthropic fetches images only over https: found 'http://example.com/a.png'",
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
            "messages[1]: Anthropic has no custom tools: found 'sql'",
        ),
        (
            "Gemini",
            [user(), assistant(function_call={"name": "f", "arguments": "{}"})],
            "messages[1]: Gemini has no function_call; use tool_calls: found 'f'",
        ),
        (
            "Gemini",
            [user("")],
            "messages[0]: Gemini does not take empty text. Leave the message out.",
        ),
        (
            "Gemini",
            [user([image_part("https://example.com/parcel")])],
            "messages[0]: Gemini needs the media type of an image with an address: found "
            "'https://example.com/parcel'. Add mime_type to the part, or pass the image as a "
            "data URL.",
        ),
        (
            "Gemini",
            exchange([PICTURE, text_part("x")]),
            "messages[2]: Gemini takes a tool's result as texts followed by files, and a failure "
            "as one text: found 'image, text'",
        ),
        (
            "Gemini",
            [*exchange()[:2], result([text_part("a"), text_part("b")], is_error=True)],
            "messages[2]: Gemini takes a tool's result as texts followed by files, and a failure "
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
            "messages[1]: Gemini takes the arguments of track only as a JSON object; they have a "
            'key twice: found \'{"a": 1, "a": 2}\'. Leave out this call and its result, or '
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
            "messages[1]: LangChain moves calls whose arguments are not a JSON object after the "
            "others: found 'no JSON'. Leave out this call and its result, or correct the arguments.",
        ),
        (
            "pydantic-ai",
            [{"role": "system", "content": [text_part("a"), text_part("b")]}, user()],
            "messages[0]: pydantic-ai takes one text in a message of role system",
        ),
        (
            "pydantic-ai",
            exchange([text_part("a"), text_part("b")]),
            "messages[2]: pydantic-ai takes a tool's result as one text followed by images: "
            "found 'text, text'",
        ),
        (
            "pydantic-ai",
            exchange([{"type": "document"}]),
            "messages[2]: pydantic-ai takes a tool's result as one text followed by images: "
            "found 'document'",
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
            "messages[0]: OpenAI Responses takes the keys of an item only as a mapping: found 'msg_1'",
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
        ('{"a": "\\ud800"}', "they contain a lone surrogate"),
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
