"""Rules about caching count exactly the fixed text after changing text."""

from __future__ import annotations

import re

import pytest

from biblicus_context.text.counters import default_counter
from tests.assembly.fakes import words
from tests.lint.rules.harness import rule_named, violations
from tests.lint.rules.snippets import EVIDENCE, KB, QUESTION, context

LONG = f"{{type: system, content: {words(40)}}}"
SHORT = "{type: system, content: You help.}"
WHO = '{type: system, content: "Hello {input.who}."}'
PAST = "{type: history}"


def said(code: str, text: str) -> list[tuple[int, str | None]]:
    """The line and the found value of each finding of a rule."""
    return [(each.place.line, each.found) for each in violations(rule_named(code), text)]


def lost(text: str) -> int:
    """The tokens that a finding counts."""
    (violation,) = violations(rule_named("BC601"), text)
    return int(re.findall(r"the ([\d,]+) tokens", violation.problem)[0].replace(",", ""))


@pytest.mark.parametrize(
    ("messages", "inputs", "expected"),
    [
        ([WHO, LONG, QUESTION], "", [(4, "input.who")]),
        ([LONG, WHO, QUESTION], "", []),
        ([WHO, SHORT, QUESTION], "", []),
        ([WHO, QUESTION, LONG], "", []),
        ([WHO, PAST, LONG, QUESTION], "", []),
        ([EVIDENCE, LONG, QUESTION], "", [(4, "kb")]),
        ([LONG, EVIDENCE, QUESTION], "", []),
        ([EVIDENCE, WHO, LONG, QUESTION], "", [(4, "kb")]),
        (["{type: context, name: kb, when: input.a}", LONG, QUESTION], "", []),
        ([WHO, LONG.replace("}", ", when: input.a}"), QUESTION], "", []),
        ([WHO, LONG, QUESTION], "{who: {default: you}, question: string}", []),
        ([WHO, LONG, QUESTION], "{who: string, question: string}", [(5, "input.who")]),
        ([WHO[:-1] + ", vars: {input: {who: you}}}", LONG, QUESTION], "", []),
        ([WHO.replace("who", "now"), LONG, QUESTION], "", []),
        (["{type: context, name: inner}", LONG, QUESTION], "", [(4, "input.tone")]),
        (["{type: system, base: true}", LONG, QUESTION], "", []),
    ],
)
def test_changing_text_comes_last(messages, inputs, expected):
    inner = context("{type: system, content: 'Be {input.tone}.'}", name="inner")
    text = context(*messages, inputs=inputs) + KB + "---\n" + inner
    assert said("BC601", text) == expected


def test_the_tokens_are_counted_with_the_counter_of_the_policy():
    text = context(WHO.replace("Hello ", ""), LONG, QUESTION)
    assert lost(text) == default_counter().count(words(40)) + default_counter().count(".")
    assert lost(text.replace("messages", "policy: {counter: whitespace}\nmessages")) == 41


def test_evidence_in_a_nested_context_changes_between_calls():
    inner = context(EVIDENCE, name="inner")
    text = context("{type: context, name: inner}", LONG, QUESTION) + "---\n" + inner + KB
    assert said("BC601", text) == [(4, "kb")]


def test_fixed_text_of_a_nested_context_counts():
    inner = context(LONG, name="inner")
    text = context(WHO, "{type: context, name: inner}", QUESTION) + "---\n" + inner
    assert said("BC601", text) == [(4, "input.who")]
    assert said("BC601", inner.replace(LONG, f"{WHO}\n  - {LONG}")) == [(4, "input.who")]


@pytest.mark.parametrize(
    ("name", "messages", "is_found"),
    [
        ("now", [LONG, QUESTION], True),
        ("current_time", [LONG, QUESTION], True),
        ("date", [LONG, QUESTION], True),
        ("today", [PAST, QUESTION], False),
        ("timestamp", [PAST, QUESTION], True),
        ("timestamp", [QUESTION], False),
        ("order_date", [LONG, QUESTION], False),
        ("meta.now", [LONG, QUESTION], True),
    ],
)
def test_a_time_changes_by_itself(name: str, messages: list[str], is_found: bool):
    text = context(f"{{type: system, content: 'It is {{input.{name}}}.'}}", *messages)
    assert said("BC602", text) == ([(4, f"input.{name}")] if is_found else [])


def test_a_time_in_a_nested_context_is_reported_at_the_insert():
    inner = context("{type: system, content: 'It is {input.now}.'}", name="inner")
    text = context("{type: context, name: inner}", PAST, QUESTION) + "---\n" + inner
    assert said("BC602", text) == [(4, "input.now")]


MARKED = "{type: history, low_mark: 0.75}"
BUDGET = "{input_budget: {max_tokens: 4000}}"


@pytest.mark.parametrize(
    ("messages", "policy", "problem"),
    [
        ([SHORT, MARKED, QUESTION], BUDGET, None),
        ([SHORT, MARKED, EVIDENCE, QUESTION], BUDGET, None),
        ([WHO, MARKED, QUESTION], BUDGET, None),
        ([SHORT, MARKED, QUESTION], "{model: gpt-4o}", None),
        ([SHORT, MARKED[:-1] + ", budget: {max_tokens: 500}}", QUESTION], "", None),
        ([EVIDENCE, MARKED.replace("0.75", "1"), QUESTION], BUDGET, None),
        ([EVIDENCE, PAST, QUESTION], BUDGET, None),
        ([EVIDENCE, MARKED[:-1] + ", pin: true}", QUESTION], BUDGET, None),
        ([SHORT, EVIDENCE, MARKED, QUESTION], BUDGET, "without helping the cache"),
        ([WHO.replace("who", "now"), MARKED, QUESTION], BUDGET, "without helping the cache"),
        ([SHORT, MARKED, QUESTION], "", "no budget is set"),
        ([SHORT, MARKED, QUESTION], BUDGET[:-1] + ", overflow: error}", "no turn is dropped"),
        ([SHORT, MARKED, QUESTION], "nowhere", None),
    ],
)
def test_a_low_mark_needs_a_budget_and_a_stable_prefix(messages, policy, problem):
    text = context(*messages, policy=policy) + KB
    problems = [each.problem for each in violations(rule_named("BC604"), text)]
    assert len(problems) == (problem is not None)
    assert all(problem in each for each in problems)
