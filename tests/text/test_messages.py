"""What messages cost, part by part."""

from __future__ import annotations

import base64
import copy
import json
import struct
import time
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.text.counters import Counters, default_counter
from biblicus_context.text.messages.files import PDF_PAGE
from biblicus_context.text.messages.framing import FRAMINGS, Framing
from biblicus_context.text.messages.images import Tiles
from biblicus_context.text.messages.meter import MessageMeter
from biblicus_context.text.models.table import ModelTable
from tests.text.samples import texts

FRAMING = Framing(per_message=100, per_name=1_000, per_reply=7, per_tool_call=10_000, per_tools=9)
WORDS = MessageMeter(Counters().get("whitespace"), FRAMING, Tiles(base=100_000, tile=1_000_000))
IMAGE = 100_000 + 4 * 1_000_000
PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 1024, 1024) + b"\x00" * 3_000
).decode()
AUDIO = 3_024 // 64 + 1


def user(content: object, **more: object) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": content, **more}


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (user("two words"), 102),
        (user(""), 100),
        (user(None), 100),
        ({"role": "assistant"}, 100),
        (user([]), 100),
        (user("one", name="first last"), 1_103),
        (user(["one two", {"type": "text", "text": "three"}]), 103),
        (
            user([{"type": "input_text", "text": "one"}, {"type": "output_text", "text": "two"}]),
            102,
        ),
        (user([{"text": "of Gemini"}]), 102),
        (user([{"type": "refusal", "refusal": "no way"}]), 102),
        (user(None, refusal="no way", reasoning_content="I think"), 104),
        (user("one", id="not counted", tool_call_id="neither"), 101),
    ],
)
def test_texts_are_counted_and_ids_are_not(message: dict[str, Any], tokens: int) -> None:
    """Content, names, refusals and reasoning, each message with its framing."""
    assert WORDS.measure(message) == tokens


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "image_url", "image_url": f"data:image/png;base64,{PNG}"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": PNG},
            "cache_control": {"type": "ephemeral"},
        },
        {"type": "image", "base64": PNG, "mime_type": "image/png"},
        {"inline_data": {"mime_type": "image/png", "data": PNG}},
        {"inlineData": {"mimeType": "image/png", "data": PNG}},
        {"image": {"format": "png", "source": {"bytes": base64.b64decode(PNG)}}},
    ],
)
def test_an_image_costs_what_the_rule_says_in_every_shape(part: dict[str, Any]) -> None:
    """Its size is read from its head; its base64 is never counted as text."""
    assert WORDS.measure(user([{"type": "text", "text": "see"}, part])) == 101 + IMAGE
    nested = {"type": "tool_result", "tool_use_id": "x", "content": [part]}
    assert WORDS.measure(user([nested])) == 100 + IMAGE


def test_detail_and_unknown_size_change_what_an_image_costs() -> None:
    """Low detail costs the base, and an image behind a link the most that one can cost."""
    link = {"url": "https://example.org/cat.png"}
    low = {"type": "image_url", "image_url": {**link, "detail": "low"}}
    assert WORDS.measure(user([low])) == 100 + 100_000
    assert (
        WORDS.measure(user([{"type": "input_image", "file_id": "f", "detail": "low"}])) == 100_100
    )
    unknown = {"type": "image_url", "image_url": link}
    assert WORDS.measure(user([unknown])) == 100 + 100_000 + 8 * 1_000_000


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1 never counted",
                        "type": "function",
                        "function": {"name": "find it", "arguments": '{"q": "a b"}'},
                    },
                    {"name": "of LangChain", "args": {"q": "a b"}, "id": "x y z"},
                    {"type": "custom", "custom": {"name": "f", "input": "three more words"}},
                ],
            },
            100 + 3 * 10_000 + (2 + 3) + (2 + 2) + (1 + 3),
        ),
        (
            {"role": "assistant", "function_call": {"name": "old way", "arguments": "{}"}},
            100 + 10_000 + 3,
        ),
        (user("one", tool_calls=[]), 101),
        (user("one", tool_calls={}, function_call=None), 101),
        (
            user([{"type": "tool_use", "id": "x y", "name": "f", "input": {"q": "a b c"}}]),
            100 + 10_000 + 1 + 3,
        ),
        (user([{"functionCall": {"name": "f", "args": {}}}]), 100 + 10_000 + 2),
        (user([{"type": "tool_result", "tool_use_id": "x y", "content": "it is so"}]), 103),
        (user([{"type": "tool_result", "tool_use_id": "x"}]), 100),
        (user([{"type": "thinking", "thinking": "I think so", "signature": "Eq0B"}]), 103),
        (user([{"type": "reasoning", "reasoning": "I think"}]), 102),
        (
            user(
                [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "in short"}]}]
            ),
            102,
        ),
    ],
)
def test_calls_results_and_reasoning_are_counted(message: dict[str, Any], tokens: int) -> None:
    """Names and arguments, in the shapes of OpenAI, Anthropic, Gemini and LangChain."""
    assert WORDS.measure(message) == tokens


def test_other_parts_are_counted_as_compact_json_without_their_files() -> None:
    """What is not known is written out; base64 in it is left out, and has a price of its own."""
    letters = MessageMeter(Counters({"letters": len}).get("letters"))
    document = {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": PNG},
        "title": "¡Título!",
    }
    emptied = {**document, "source": {**document["source"], "data": ""}}
    written = json.dumps(emptied, ensure_ascii=False, separators=(",", ":"))
    assert letters.measure(user([document])) == len(written) + PDF_PAGE
    prose = "words that stand under the name of data " * 20
    plain = {"type": "document", "source": {"type": "text", "data": prose}}
    assert letters.measure(user([plain])) > len(prose)
    audio = {"type": "input_audio", "input_audio": {"data": PNG, "format": "wav"}}
    assert letters.measure(user([audio])) < 100 + AUDIO
    sound = {"inline_data": {"mime_type": "audio/wav", "data": PNG}}
    assert letters.measure(user([sound])) < 100 + AUDIO
    file = {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{PNG}"}}
    assert letters.measure(user([file])) < 100 + PDF_PAGE


@pytest.mark.parametrize(
    ("message", "place", "problem"),
    [
        ("hello", "history[3]", "message"),
        ({"content": "x"}, "history[3].role", "system, developer, user, assistant, tool"),
        ({"role": 5, "content": "x"}, "history[3].role", "found 5"),
        (user(5), "history[3].content", "a list of parts"),
        (user({"type": "text"}), "history[3].content", "a text"),
        (user([5]), "history[3].content[0]", "mapping"),
        (user([{"type": "text"}]), "history[3].content[0].text", "missing"),
        (user(["a", {"type": "text", "text": 5}]), "history[3].content[1].text", "found 5"),
        (user("x", name=5), "history[3].name", "found 5"),
        (user("x", tool_calls="f"), "history[3].tool_calls", "list"),
        (user("x", tool_calls=["f"]), "history[3].tool_calls[0]", "mapping"),
        (
            user([{"type": "tool_result", "content": [{"type": "text"}]}]),
            "history[3].content[0].content[0].text",
            "missing",
        ),
        (
            user("x", tool_calls=[{"name": "f", "args": {(1, 2): 3}}]),
            "history[3].tool_calls[0].arguments",
            "JSON",
        ),
    ],
)
def test_a_message_of_the_wrong_shape_is_named(message: Any, place: str, problem: str) -> None:
    """The error says where it is, what was found, and what is valid."""
    with pytest.raises(InputError) as refused:
        WORDS.measure(message, place="history[3]")
    assert str(refused.value).startswith(f"{place}: ")
    assert problem in str(refused.value)
    with pytest.raises(InputError):
        WORDS.measure_many([user("fine"), message])


def test_messages_nested_without_end_are_refused() -> None:
    """Depth and circles end in an error instead of the interpreter's stack."""
    part: dict[str, Any] = {"type": "text", "text": "core"}
    for _ in range(100_000):
        part = {"type": "tool_result", "content": [part]}
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"deeper": deep}
    circle: dict[str, Any] = {}
    circle["self"] = circle
    for content in ([part], [{"type": "odd", "value": deep}]):
        with pytest.raises(InputError, match="message"):
            WORDS.measure(user(content))
    with pytest.raises(InputError, match="nested too deeply"):
        WORDS.measure(user("x", tool_calls=[{"name": "f", "args": circle}]))
    with pytest.raises(InputError, match="tools"):
        WORDS.measure_tools([circle])


def test_tools_cost_their_compact_json_and_the_models_instructions() -> None:
    """Each definition as it is sent; nothing where there are none."""
    tool = {"type": "function", "function": {"name": "f", "description": "Finds it."}}
    assert WORDS.measure_tools([tool, tool]) == 2 * 2 + 9
    assert WORDS.measure_tools([]) == 0
    with pytest.raises(InputError, match=r"tools\[1\]"):
        WORDS.measure_tools([tool, "f"])  # type: ignore[list-item]


def test_a_total_adds_what_opens_the_answer() -> None:
    """Once for all messages, and also where there are none."""
    assert WORDS.total([["one"], ["two", " ", "words"]]) == 101 + 102 + 7
    assert MessageMeter(default_counter()).total([]) == 0


def test_openai_messages_cost_what_its_cookbook_counts() -> None:
    """The cookbook's example, whose figures its API confirmed: 129 tokens, 124 with gpt-4o."""
    example = [
        ("system", None, "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."),
        ("system", "example_user", "New synergies will help drive top-line growth."),
        ("system", "example_assistant", "Things working well together will increase revenue."),
        ("system", "example_user", "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage."),
        ("system", "example_assistant", "Let's talk later when we're less busy about how to do better."),
        ("user", None, "This late pivot means we don't have time to boil the ocean for the client deliverable."),
    ]  # fmt: skip
    messages = [
        {"role": role, "content": content} | ({"name": name} if name else {})
        for role, name, content in example
    ]
    for name, tokens in (("gpt-4-0613", 129), ("gpt-3.5-turbo", 129), ("gpt-4o", 124)):
        model = ModelTable.shipped().find(name)
        meter = MessageMeter(Counters().get(name), model.framing, model.images)
        assert sum(meter.measure_many(messages)) + model.framing.per_reply == tokens


_PROPERTIES = st.dictionaries(
    st.from_regex(r"[a-z]{1,12}", fullmatch=True),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "number"]), "description": texts},
        optional={"enum": st.lists(texts, min_size=1, max_size=4)},
    ),
    max_size=4,
)


@given(st.lists(st.tuples(st.from_regex(r"[a-z_]{1,20}", fullmatch=True), texts, _PROPERTIES)))
def test_tool_definitions_cost_no_less_than_openais_cookbook_says(
    functions: list[tuple[str, str, dict[str, Any]]],
) -> None:
    """OpenAI writes them in a form of its own, for which its cookbook has figures; ours are above."""
    tools = [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": about,
                "parameters": {"type": "object", "properties": properties},
            },
        }
        for name, about, properties in functions
    ]
    count = default_counter().count
    published = 0
    for name, about, properties in functions:
        published += 7 + count(f"{name}:{about.removesuffix('.')}") + (3 if properties else 0)
        for key, value in properties.items():
            enum = value.get("enum", ())
            published += 3 + sum(3 + count(one) for one in enum) - (3 if enum else 0)
            published += count(f"{key}:{value['type']}:{value['description'].removesuffix('.')}")
    published += 12 if functions else 0
    meter = MessageMeter(default_counter(), FRAMINGS["openai"])
    assert meter.measure_tools(tools) >= published


@given(
    st.lists(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant"])},
            optional={"content": texts | st.none() | st.lists(texts), "name": texts},
        ),
        max_size=6,
    )
)
def test_measuring_together_is_measuring_one_by_one(messages: list[dict[str, Any]]) -> None:
    """The fast path for plain messages and the one for all others agree, and change nothing."""
    meter = MessageMeter(default_counter(), FRAMINGS["openai"])
    before = copy.deepcopy(messages)
    alone = [meter.measure(message) for message in messages]
    assert meter.measure_many(messages) == alone
    assert messages == before


def test_a_remembered_history_is_measured_faster_than_it_could_be_counted() -> None:
    """Twelve hundred remembered messages cost a small part of counting them again."""
    messages = [user(f"{number}: " + "some words of a message " * 16) for number in range(1_200)]
    meter = MessageMeter(default_counter(), FRAMINGS["openai"])
    begin = time.perf_counter()
    first = meter.measure_many(messages)
    cold = time.perf_counter() - begin
    warm = min(_seconds(meter, messages) for _ in range(5))
    assert meter.measure_many(messages) == first
    assert warm < cold / 4


def _seconds(meter: MessageMeter, messages: list[dict[str, Any]]) -> float:
    begin = time.perf_counter()
    meter.measure_many(messages)
    return time.perf_counter() - begin
