"""Cache marks stand at the ends of what the next call repeats, and are never more than four."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextError
from biblicus_context.formats import (
    MarkAfter,
    history_from_anthropic,
    to_anthropic,
    to_openai,
    to_openai_responses,
)
from tests.formats.speaking import THINKING, TOOL, assistant, exchange, marked, user
from tests.formats.strategies import Message, conversations, part_of_the_examples, text_part

SYSTEM = {"role": "system", "content": "Be kind.\n\nProduct: Blue."}
TALK = [SYSTEM, user("one"), assistant("two"), user("three"), assistant("four"), user("five")]
MARK = {"type": "ephemeral"}


@pytest.mark.parametrize(
    ("messages", "options", "ends"),
    [
        (TALK, {}, ["Be kind.\n\nProduct: Blue.", "two", "four"]),
        (TALK, {"tools": [TOOL]}, ["track", "Be kind.\n\nProduct: Blue.", "two", "four"]),
        (TALK, {"steady": 8}, ["Be kind.\n\n", "Product: Blue.", "two", "four"]),
        (TALK, {"tools": [TOOL], "steady": 8}, ["track", "Be kind.\n\n", "Product: Blue.", "four"]),
        (TALK, {"tools": [TOOL], "steady": 8, "fetched": True}, ["track", "Be kind.\n\n"]),
        (TALK, {"steady": 10_000}, ["Be kind.\n\nProduct: Blue.", "two", "four"]),
        (TALK, {"cache": "off"}, []),
        ([user("one")], {}, []),
        ([user("one"), user("two")], {}, ["one"]),
        ([SYSTEM, user("one")], {}, ["Be kind.\n\nProduct: Blue."]),
        ([SYSTEM, user("one"), assistant("{")], {}, ["Be kind.\n\nProduct: Blue."]),
        ([user("zero"), assistant("half"), *exchange()], {}, ["half", "tool_result"]),
        (exchange(), {"fetched": True}, ["tool_result"]),
        ([user("one"), assistant([THINKING]), user("two")], {}, ["one"]),
        (
            [*TALK[:-1], {"role": "system", "content": "late"}, user("five")],
            {"late_system": "user"},
            ["Be kind.\n\nProduct: Blue.", "two", "four"],
        ),
        (
            [*TALK, {"role": "system", "content": "late"}],
            {"late_system": "system"},
            ["Be kind.\n\nProduct: Blue.", "two", "four"],
        ),
    ],
)
def test_marks_are_found(messages, options, ends):
    assert marked(to_anthropic(messages, **options)) == ends


@pytest.mark.parametrize(
    ("marks", "ends"),
    [
        ([], []),
        (["tools"], ["track"]),
        ([MarkAfter(0)], ["Be kind.\n\nProduct: Blue."]),
        ([MarkAfter(0, 8)], ["Be kind."]),
        ([MarkAfter(0, 8), MarkAfter(0, 19), MarkAfter(0)], ["Be kind.", "\n\nProduct: ", "Blue."]),
        ([MarkAfter(0, 24)], ["Be kind.\n\nProduct: Blue."]),
        ([MarkAfter(2), MarkAfter(2), MarkAfter(1)], ["one", "two"]),
    ],
)
def test_marks_may_be_given(marks, ends):
    sent = to_anthropic(TALK, tools=[TOOL], cache=marks)
    assert marked(sent) == ends
    assert "".join(block["text"] for block in sent["system"]) == SYSTEM["content"]


@pytest.mark.parametrize(
    ("messages", "marks", "expected"),
    [
        (TALK, ["tools"], "cache: nothing here can end a cached part: found 'tools'"),
        (
            TALK,
            [0],
            "cache: unknown mark: found 0. Valid: tools, MarkAfter(message), MarkAfter(message, ",
        ),
        (TALK, ["tool"], "cache: unknown mark: found 'tool'. Valid: tools, MarkAfter(message), "),
        (TALK, None, "cache: unknown way"),
        (
            TALK,
            [MarkAfter(9)],
            "cache: nothing here can end a cached part: found MarkAfter(message=9, ",
        ),
        (
            TALK,
            [MarkAfter(0, 99)],
            "cache: nothing here can end a cached part: found MarkAfter(message=0, ",
        ),
        (TALK, [MarkAfter(0, 0)], "cache: nothing here can end a cached part"),
        (
            [user(" one")],
            [MarkAfter(0, 1)],
            "cache: this text cannot be cut there: found MarkAfter(mess",
        ),
        (
            [user([text_part("one", citations=[{}])])],
            [MarkAfter(0, 1)],
            "cache: this text cannot be cut",
        ),
        ([user(), assistant([THINKING]), user()], [MarkAfter(1)], "cache: nothing here can end"),
        (
            TALK,
            [MarkAfter(number) for number in range(5)],
            "cache: Anthropic takes 4 cache marks: found 5. Marks in the messages count too; "
            "cache='auto' adds only as many as are left.",
        ),
    ],
)
def test_a_mark_that_cannot_be_is_refused(messages, marks, expected):
    with pytest.raises(ContextError) as caught:
        to_anthropic(messages, cache=marks)
    assert str(caught.value).startswith(expected)


def test_marks_that_are_in_the_messages_stay_and_count():
    own = [text_part(f"part {number}", cache_control=MARK) for number in range(3)]
    messages = [user(own), *TALK[2:]]
    assert marked(to_anthropic(messages)) == ["part 0", "part 1", "part 2", "four"]
    assert marked(to_anthropic(messages, cache="off")) == ["part 0", "part 1", "part 2"]
    with pytest.raises(ContextError, match="found 5"):
        to_anthropic([user([*own, *own[:2]])])


def test_characters_are_counted_through_all_texts_of_a_message():
    messages = [{"role": "system", "content": [text_part("one"), text_part("two three")]}, user()]
    assert marked(to_anthropic(messages, cache=[MarkAfter(0, 3)])) == ["one"]
    assert marked(to_anthropic(messages, cache=[MarkAfter(0, 6)])) == ["two"]
    assert marked(to_anthropic(messages, cache=[MarkAfter(0, 12)])) == ["two three"]


def test_a_lifetime_is_written_on_each_mark():
    sent = to_anthropic(TALK, cache=[MarkAfter(0)], ttl="1h")
    assert sent["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


def test_a_history_keeps_no_marks():
    sent = to_anthropic(
        [*TALK[:-1], *exchange()], cache=[MarkAfter(0), MarkAfter(5), MarkAfter(6), MarkAfter(7)]
    )
    assert len(marked(sent)) == 4
    assert "cache_control" not in str(history_from_anthropic(sent["messages"], sent["system"]))


def test_marks_of_blocks_that_only_anthropic_has_are_left_out_of_a_history():
    document = {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}}
    (message,) = history_from_anthropic([user([{**document, "cache_control": MARK}])])
    assert message == user([document])


FEATURES = ["lists", "images", "thinking", "failures", "images in results", "runs"]


def bare(sent: dict[str, Any]) -> dict[str, Any]:
    return {
        "system": "".join(block["text"] for block in sent.get("system", [])),
        "messages": [
            [{**block, "cache_control": None} for block in message["content"]]
            for message in sent["messages"]
        ],
    }


@part_of_the_examples
@given(conversations(FEATURES), st.integers(0, 20), st.booleans(), st.booleans())
def test_automatic_marks_are_few_and_change_nothing_else(messages, steady, fetched, has_tools):
    tools = [TOOL] if has_tools else []
    sent = to_anthropic(messages, tools=tools, steady=steady, fetched=fetched)
    assert len(marked(sent)) <= 4
    assert bare(sent) == bare(to_anthropic(messages, cache="off"))


@part_of_the_examples
@given(conversations(FEATURES))
def test_the_next_call_begins_with_all_that_is_marked_and_marks_its_end_again(messages):
    first = blocks_of(to_anthropic(messages))
    later = blocks_of(to_anthropic([*messages, assistant("So."), user("And?")]))
    ends = [at for at, block in enumerate(first) if "cache_control" in block]
    for end in ends:
        assert bare_blocks(first[: end + 1]) == bare_blocks(later[: end + 1])
    if ends:
        assert "cache_control" in later[ends[-1]]


def bare_blocks(blocks: list[Message]) -> list[Message]:
    return [{**block, "cache_control": None} for block in blocks]


def blocks_of(sent: dict[str, Any]) -> list[Message]:
    return [
        *sent.get("system", []),
        *(block for message in sent["messages"] for block in message["content"]),
    ]


def ends_at_openai(sent: list[dict[str, Any]]) -> list[str]:
    """The texts that end with a breakpoint."""
    parts = (part for item in sent for part in listed(item.get("content", item.get("output"))))
    return [part["text"] for part in parts if "prompt_cache_breakpoint" in part]


def listed(content: Any) -> list[dict[str, Any]]:
    return content if isinstance(content, list) else []


@pytest.mark.parametrize(
    ("messages", "options", "ends"),
    [
        (TALK, {}, []),
        (TALK, {"cache": "auto"}, ["Be kind.\n\nProduct: Blue.", "two", "four"]),
        (TALK, {"cache": "auto", "steady": 8}, ["Be kind.\n\n", "Product: Blue.", "two", "four"]),
        (TALK, {"cache": "auto", "steady": 8, "fetched": True}, ["Be kind.\n\n"]),
        ([SYSTEM], {"cache": "auto"}, []),
        ([user("one")], {"cache": "auto"}, []),
        ([SYSTEM, user("one")], {"cache": "auto"}, ["Be kind.\n\nProduct: Blue."]),
        (TALK, {"cache": [MarkAfter(0, 8), MarkAfter(2)]}, ["Be kind.", "two"]),
        (TALK, {"cache": ["tools", MarkAfter(0)]}, ["Be kind.\n\nProduct: Blue."]),
    ],
)
def test_openai_gets_breakpoints_where_anthropic_gets_marks(messages, options, ends):
    sent = to_openai(messages, **options)
    assert ends_at_openai(sent) == ends
    assert all(
        part["prompt_cache_breakpoint"] == {"mode": "explicit"}
        for message in sent
        for part in listed(message["content"])
        if "prompt_cache_breakpoint" in part
    )


def test_results_of_tools_end_with_a_breakpoint_while_they_are_read():
    sent = to_openai([user("zero"), assistant("half"), *exchange()], cache="auto")
    assert [*ends_at_openai(sent)][:1] == ["half"]
    assert "prompt_cache_breakpoint" in listed(sent[-1]["content"])[-1]


def test_the_responses_api_has_no_breakpoint_in_an_answer():
    sent = to_openai_responses(TALK, cache="auto")
    assert ends_at_openai(sent) == ["Be kind.\n\nProduct: Blue.", "one", "three"]


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([MarkAfter(9)], "cache: nothing here can end a cached part"),
        ([MarkAfter(0, 99)], "cache: nothing here can end a cached part"),
        ([MarkAfter(at) for at in range(6)], "cache: OpenAI writes 4 breakpoints of a request"),
        ("always", "cache: unknown way: found 'always'. Valid: auto, off, a list of marks"),
    ],
)
def test_a_breakpoint_that_cannot_be_is_refused(marks, expected):
    with pytest.raises(ContextError, match=expected):
        to_openai(TALK, cache=marks)


@part_of_the_examples
@given(conversations(["lists", "images", "runs"]), st.integers(0, 20), st.booleans())
def test_breakpoints_are_few_and_change_nothing_else(messages, steady, fetched):
    for ways in (to_openai, to_openai_responses):
        sent = ways(messages, cache="auto", steady=steady, fetched=fetched)
        assert len(ends_at_openai(sent)) <= 4
        assert texts_of(sent) == texts_of(ways(messages))


def texts_of(sent: list[dict[str, Any]]) -> list[Any]:
    """All that is said, wherever texts are cut."""
    contents = [item.get("content", item.get("output")) for item in sent]
    return [
        "".join(part.get("text", "") for part in content) if isinstance(content, list) else content
        for content in contents
    ]
