"""Where a plan says that what stays the same ends, and where that is in what is sent."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, ContextAssemblyResult
from tests.assembly.fakes import Shelf, assembled, plan
from tests.assembly.oracle import tokens

HISTORY = [
    {"role": "user", "content": "Hello."},
    {"role": "assistant", "content": "Hello. How can I help?"},
]


def text(words: str, role: str = "system", **options: Any) -> dict[str, Any]:
    return {"type": role, "content": words, **options}


def ends(result: ContextAssemblyResult) -> list[str]:
    """What stands in front of each mark, in the message that it cuts."""
    return [
        result.messages[mark.message]["content"][: mark.characters] for mark in result.cache_marks
    ]


def test_a_mark_inside_the_system_prompt_stands_behind_its_text():
    result = assembled(plan(text("Rules.", cache=True), text("More."), text("Q", "user")))
    assert ends(result) == ["Rules."]
    assert result.cache_marks[0].characters == len("Rules.")


def test_a_mark_behind_the_whole_system_prompt_stands_behind_the_message():
    result = assembled(plan(text("Rules."), text("More.", cache=True), text("Q", "user")))
    assert ends(result) == ["Rules.\n\nMore."]
    assert result.cache_marks == ((0, None),)


def test_few_shot_messages_and_the_history_can_be_marked():
    context = plan(
        text("Rules."),
        text("Example?", "user"),
        text("Answer.", "assistant", cache=True),
        {"type": "history", "cache": True},
        text("Q", "user"),
    )
    result = assembled(context, history=HISTORY)
    assert ends(result) == ["Answer.", "Hello. How can I help?"]


def test_the_history_counts_as_far_as_it_is_kept():
    context = plan({"type": "history", "cache": True, "max_turns": 1}, text("Q", "user"))
    assert ends(assembled(context, history=HISTORY)) == ["Hello. How can I help?"]
    assert assembled(context, history=[]).cache_marks == ()


def test_what_is_not_placed_marks_nothing():
    context = plan(text("Rules.", cache=True, when="input.strict"), text("Q", "user"))
    assert assembled(context, inputs={"strict": False}).cache_marks == ()


def test_a_pack_and_an_alternative_can_be_marked():
    context = plan(
        {"first": [text("Long rules."), text("Rules.")], "cache": True},
        {"type": "context", "name": "kb", "cache": True},
        text("Q", "user"),
    )
    result = assembled(context, {"kb": Shelf(["Evidence."])})
    assert ends(result) == ["Long rules.", "Long rules.\n\nEvidence."]


def test_a_copied_result_keeps_its_marks():
    result = assembled(plan(text("Rules.", cache=True), text("Q", "user")))
    assert copy.deepcopy(result).cache_marks == result.cache_marks != ()


def test_the_marks_are_the_breakpoints_of_anthropics_cache():
    result = assembled(plan(text("Rules.", cache=True), text("More."), text("Q", "user")))
    system = result.to_anthropic()["system"]
    assert [("cache_control" in block, block["text"]) for block in system] == [
        (True, "Rules."),
        (False, "\n\nMore."),
    ]
    assert "cache_control" not in str(result.to_anthropic(cache="off"))


_TEXTS = st.sampled_from(["", "a", "Rules.", "Some more.\n"])
_DIRECTIVES = st.lists(
    st.builds(
        lambda words, role, cache: text(words, role, cache=cache),
        _TEXTS,
        st.sampled_from(["system", "user", "assistant"]),
        st.booleans(),
    ),
    max_size=6,
)


@given(_DIRECTIVES, st.booleans())
def test_in_front_of_each_mark_stands_the_text_of_its_directive(
    directives: list[dict[str, Any]], with_history: bool
):
    context = plan(*directives, {"type": "history"})
    result = assembled(context, history=HISTORY if with_history else [])
    marked = [each["content"] for each in directives if each["cache"] and each["content"]]
    found = ends(result)
    assert len(found) == len(marked)
    assert all(end.endswith(words) for end, words in zip(found, marked, strict=True))


SEAMS = ["/", "\n/", "'s", "\n\n\nx", "...", ") b", "\r\nx", " y", "/\n", "заказ"]


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("follows", SEAMS)
@pytest.mark.parametrize("rules", ["a.", "Rules:", "a\n", "a.\n\n", "Be brief", "##", "- ", "a..."])
def test_a_cut_costs_no_token_whatever_texts_meet_there(rules: str, follows: str, cache: bool):
    """Tokens do not reach over a cut: `.`, two line breaks and `/` are fewer tokens together."""
    context = {"messages": [text(rules, cache=cache), text("{input.q}"), text("Why?", "user")]}
    result = ContextAssembler({"main": context}).assemble("main", inputs={"q": follows})
    sent = result.to_anthropic()
    blocks = [*sent["system"], *sent["messages"][0]["content"]]
    assert sum(tokens(block["text"]) for block in blocks) == result.token_count
    assert "".join(block["text"] for block in sent["system"]) == result.system_prompt
    stored = ContextAssemblyResult.from_json(result.to_json())
    assert stored.to_anthropic() == sent


def test_a_mark_moves_back_to_the_end_of_a_word_where_its_own_end_costs_a_token():
    context = {"messages": [text("Be brief and say it.", cache=True), text("{input.q}")]}
    result = ContextAssembler({"main": context}).assemble("main", inputs={"q": "/"})
    (mark,) = result.cache_marks
    assert result.system_prompt[: mark.characters] == "Be brief and say"
