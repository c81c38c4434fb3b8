"""Rules about the order of messages, and how the engine places the orders they report."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context import PlanError
from tests.assembly.fakes import Shelf
from tests.lint.rules.harness import assembler_of, rule_named, violations
from tests.lint.rules.snippets import EVIDENCE, KB, NEWS, QUESTION, STYLE, context

SYSTEM = "{type: system, content: You help.}"
EXAMPLE = "{type: user, content: Where is it?}"
ANSWER = "{type: assistant, content: On its way.}"
HISTORY = "{type: history}"
PAST = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}]


def lines(code: str, text: str) -> list[int]:
    """The lines on which a rule reports a finding."""
    return [violation.place.line for violation in violations(rule_named(code), text)]


def roles(text: str, **call: Any) -> list[str]:
    """The roles and texts of an assembly."""
    call = {"inputs": {"question": "?"}, "history": PAST, **call}
    return [each["role"] for each in assembler_of(text).assemble("main", **call).messages]


@pytest.mark.parametrize(
    ("code", "messages", "expected"),
    [
        ("BC502", [SYSTEM, HISTORY, QUESTION], []),
        ("BC502", [HISTORY, SYSTEM, QUESTION], [5]),
        ("BC502", [EXAMPLE, SYSTEM, SYSTEM], [5, 6]),
        ("BC502", ["{type: user, content: a, when: input.a}", SYSTEM, QUESTION], []),
        ("BC502", [HISTORY, "first: [one, two]", QUESTION], [5, 5]),
        ("BC504", [EXAMPLE, ANSWER, HISTORY, QUESTION], []),
        ("BC504", [EXAMPLE, ANSWER, HISTORY], [4]),
        ("BC504", [QUESTION, HISTORY], [4]),
        ("BC504", [EXAMPLE, HISTORY, "{type: user, content: a, when: input.a}"], []),
        ("BC504", [SYSTEM, HISTORY], []),
        ("BC505", [EXAMPLE, ANSWER], [5]),
        ("BC505", [HISTORY, QUESTION, ANSWER], [6]),
        ("BC505", [EXAMPLE, ANSWER, QUESTION], []),
        ("BC505", [EXAMPLE, ANSWER, HISTORY], []),
        ("BC505", [SYSTEM, ANSWER], []),
        ("BC505", [EXAMPLE, "{type: assistant, content: a, when: input.a}"], []),
        ("BC507", [EVIDENCE, QUESTION], []),
        ("BC507", [QUESTION, EVIDENCE], [5]),
        ("BC507", [EXAMPLE, EVIDENCE, HISTORY], []),
        ("BC507", [SYSTEM, EVIDENCE], []),
        ("BC508", [EXAMPLE, ANSWER, QUESTION], []),
        ("BC508", [EXAMPLE, QUESTION], [5]),
        ("BC508", [EXAMPLE, EVIDENCE, QUESTION], [6]),
        ("BC508", [EXAMPLE, HISTORY, QUESTION], []),
        ("BC508", [ANSWER, QUESTION], [4]),
        ("BC508", [HISTORY, ANSWER, QUESTION], []),
        ("BC508", [EXAMPLE, "{type: assistant, content: a, when: input.a}", QUESTION], []),
        ("BC510", ["{type: system, base: true}", "{type: system, base: true}"], [5]),
        (
            "BC510",
            [
                "{type: system, base: true, when: input.a}",
                "{type: system, base: true, when: not input.a}",
            ],
            [],
        ),
        ("BC513", [EVIDENCE, EVIDENCE], [5]),
        ("BC513", [EVIDENCE, "{type: context, name: kb, when: input.a}"], []),
        ("BC513", [EVIDENCE, "{type: context, name: news}"], []),
    ],
)
def test_an_order_of_messages_is_reported_or_not(
    code: str, messages: list[str], expected: list[int]
):
    assert lines(code, context(*messages) + KB + NEWS) == expected


@pytest.mark.parametrize("code", ["BC502", "BC504", "BC505", "BC507", "BC508"])
def test_a_nested_context_is_one_text_in_any_order(code: str):
    outer = context("{type: context, name: inner}", QUESTION)
    inner = context(ANSWER, EXAMPLE, SYSTEM, EVIDENCE, ANSWER, EXAMPLE, ANSWER, name="inner")
    assert lines(code, f"{outer}---\n{inner}{KB}") == []


class TestWhatTheEngineDoes:
    def test_a_history_in_a_nested_context_is_rejected(self):
        inner = context(HISTORY, name="inner")
        text = context("{type: context, name: inner}", QUESTION) + "---\n" + inner
        assert lines("BC501", text) == [10]
        assert lines("BC501", inner) == []
        with pytest.raises(PlanError, match="cannot include history"):
            assembler_of(text).assemble("main")

    def test_a_later_system_text_is_a_separate_message_except_in_the_first_turn(self):
        text = context(HISTORY, SYSTEM, QUESTION)
        assert roles(text) == ["user", "assistant", "system", "user"]
        assert roles(text, history=[]) == ["system", "user"]

    def test_an_example_suppresses_the_user_message_of_the_caller(self):
        for messages in ([EXAMPLE, ANSWER], [EXAMPLE, ANSWER, HISTORY]):
            result = assembler_of(context(*messages)).assemble("main", user_message="Mine?")
            assert result.user_message == "Where is it?"
            assert "Mine?" not in str(result.messages)

    def test_a_pack_after_the_question_is_a_system_message_at_the_end(self):
        text = context(QUESTION, EVIDENCE) + KB
        result = assembler_of(text, Shelf(["found"])).assemble("main", inputs={"question": "?"})
        assert [each["role"] for each in result.messages] == ["user", "system"]

    def test_retriever_options_have_no_effect_on_a_context(self):
        options = "ordering: edges, on_error: skip, timeout_seconds: 1"
        inner = "---\n" + context(EVIDENCE, name="inner") + KB
        one, other = (
            context(f"{{type: context, name: inner{more}}}", QUESTION) + inner
            for more in ("", f", {options}")
        )
        assert lines("BC512", one) == []
        found = violations(rule_named("BC512"), other)
        assert [violation.problem.split()[0] for violation in found] == [
            "'ordering'",
            "'on_error'",
            "'timeout_seconds'",
        ]
        shelf = Shelf(["one", "two", "three"])
        call = {"inputs": {"question": "?"}}
        results = [assembler_of(text, shelf).assemble("main", **call) for text in (one, other)]
        assert results[0].messages == results[1].messages

    def test_roles_are_lost_in_a_nested_context(self):
        inner = context(EXAMPLE, ANSWER, name="inner")
        text = context("{type: context, name: inner}", QUESTION) + "---\n" + inner
        assert lines("BC514", text) == [4]
        assert roles(text, history=[]) == ["system", "user"]
        assert lines("BC514", context("{type: context, name: style}") + STYLE) == []

    @pytest.mark.parametrize("plan", ["messages: []", "description: nothing"])
    def test_a_nested_context_without_texts_and_packs_is_empty(self, plan: str):
        inner = f"---\nkind: context\nname: inner\n{plan}\n"
        text = context("{type: context, name: inner}", QUESTION) + inner
        assert lines("BC511", text) == [8]
        assert roles(text, history=[], base_system_prompt="Base.") == ["user"]
        assert lines("BC511", inner.removeprefix("---\n")) == []


class TestNoUserMessage:
    @pytest.mark.parametrize(
        ("messages", "inputs", "expected"),
        [
            ([SYSTEM], "{question: string}", [4]),
            ([SYSTEM], "", []),
            ([SYSTEM, QUESTION], "{question: string}", []),
            ([SYSTEM, HISTORY], "{question: string}", []),
        ],
    )
    def test_a_plan_with_inputs_has_a_user_message(self, messages, inputs, expected):
        assert lines("BC503", context(*messages, inputs=inputs)) == expected

    def test_a_plan_without_directives_places_the_user_message_of_the_caller(self):
        assert lines("BC503", "kind: context\nname: main\ninputs: {a: string}\n") == []


class TestEmptyTexts:
    @pytest.mark.parametrize(
        ("message", "expected"),
        [
            ("{type: user, content: ''}", [4]),
            ('{type: user, content: " \\n"}', [4]),
            ("{type: user, template: ''}", [4]),
            ("{type: user, content: a}", []),
            ("{type: system, base: true}", []),
            ("first: [a, '']", []),
            ("first: ['', a]", [4]),
        ],
    )
    def test_a_message_has_text(self, message: str, expected: list[int]):
        assert lines("BC506", context(message)) == expected


class TestAlternatives:
    @pytest.mark.parametrize(
        ("group", "policy", "expected"),
        [
            ("[one two three, one]", "{input_budget: {max_tokens: 99}}", []),
            ("[one, one two three]", "{input_budget: {max_tokens: 99}}", [5]),
            ("[one, one]", "{input_budget: {max_tokens: 99}}", [5]),
            ("['{input.a} and more', '{input.a}']", "{input_budget: {max_tokens: 99}}", []),
            ("['{input.a}', '{input.b} and more']", "{input_budget: {max_tokens: 99}}", []),
            ("['{input.a}', '{input.a} {input.b}']", "{input_budget: {max_tokens: 99}}", [5]),
            (
                "[{type: system, content: one, when: input.a}, one two]",
                "{input_budget: {max_tokens: 99}}",
                [],
            ),
            (
                "[{type: system, template: '{{ input.a }}'}, one two]",
                "{input_budget: {max_tokens: 99}}",
                [],
            ),
            ("[one two three, one]", "{input_budget: {max_tokens: 99}, overflow: none}", [5]),
            ("[one two three, one]", "{overflow: compact}", [5]),
            ("[one]", "{overflow: compact}", []),
            ("[{type: context, name: kb}, one]", "{overflow: compact}", []),
            ("[one two three, one]", "{input_budget: {ratio: 0.5}}", []),
        ],
    )
    def test_every_alternative_can_be_placed(self, group, policy, expected):
        text = context(f"first: {group}", QUESTION, policy=policy) + KB
        assert lines("BC509", text) == expected

    def test_without_a_budget_the_first_text_is_placed(self):
        text = context("first: [one two three, one]", QUESTION)
        result = assembler_of(text).assemble("main", inputs={"question": "?"})
        assert result.system_prompt == "one two three"
