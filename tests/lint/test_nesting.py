"""Contexts inside each other are followed to the end, which there always is."""

from __future__ import annotations

import pytest

from biblicus_context.lint.facts.project.nesting import (
    enclosing_contexts,
    inserting_contexts,
    nested_contexts,
)
from biblicus_context.spec.context import ContextDeclaration
from tests.lint.rules.harness import codes, declarations_of, plans_of, rules_of
from tests.lint.rules.snippets import KB, QUESTION, context
from tests.pace import within

POLICY = (
    "{input_budget: {max_tokens: 90}, pack_budget: {default_ratio: 0.5}, max_iterations: 3, "
    "expansion: {max_pages: 2}, compactor: tail, overflow: error}"
)

USES = '{type: system, content: "{input.a} {context.kb} It is {input.now}."}'


def inserting(name: str, *inner: str) -> str:
    directives = [f"{{type: context, name: {each}}}" for each in inner]
    return context(USES, *directives, QUESTION, name=name, policy=POLICY, inputs="{a: string}")


def names(contexts: list[ContextDeclaration]) -> set[str]:
    return {each.name for each in contexts}


def test_everything_inside_and_around_is_met_once():
    text = "---\n".join(
        [inserting("a", "b", "c", "b"), inserting("b", "c"), inserting("c", "d"), inserting("d")]
    )
    plans = plans_of(text)
    declared = declarations_of(plans)
    by_name = {plan.declaration.name: plan.declaration for plan in plans}
    assert names(nested_contexts(by_name["a"], declared)) == {"b", "c", "d"}
    assert names(enclosing_contexts(by_name["d"], declared)) == {"a", "b", "c"}
    assert [each.name for each in inserting_contexts("b", declared)] == ["a"]


@pytest.mark.parametrize("circle", ["a", "ab", "abc"])
def test_a_circle_keeps_no_rule_from_ending(circle: str):
    text = "---\n".join(
        inserting(name, circle[(at + 1) % len(circle)], "kb") for at, name in enumerate(circle)
    )
    assert codes(text + KB, *rules_of("34567"))


def test_work_does_not_double_with_each_level():
    levels = [inserting(f"c{at}", f"c{at + 1}", f"c{at + 1}") for at in range(50)]
    text = "---\n".join([*levels, inserting("c50", "kb")])
    with within(10):
        assert codes(text + KB, *rules_of("34567"))
