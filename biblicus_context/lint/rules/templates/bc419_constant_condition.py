"""BC419: a condition that is the same in every call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.errors import TemplateError
from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.templates.texts import Written, conditions, remark_in
from biblicus_context.text.templates.template import compile_condition

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    del declared
    for condition in conditions(plan.declaration):
        if condition.reading.uses or condition.reading.mistakes:
            continue
        yield remark_in(
            plan,
            condition,
            0,
            f"this condition uses no name: {_outcome(condition)}",
            found=condition.source,
            advice="Compare an input, as in input.language == 'de', or remove the condition.",
        )


def _outcome(condition: Written) -> str:
    try:
        return f"it is always {str(compile_condition(condition.source).holds({})).lower()}"
    except TemplateError:
        return "it always ends in an error"


RULE = Rule(
    code="BC419",
    name="constant-condition",
    severity=Severity.WARNING,
    finds="A `when` uses no name, so that it holds always or never.",
    why="The directive is placed in every call or in none. Often a text was meant to be compared "
    "and its name stands in quotes.",
    instead="Name what decides, such as `input.language`, or remove the `when` or the directive.",
    bad="""\
kind: context
name: support
messages:
  - type: system
    when: "'input.language' == 'de'"  # <- BC419
    content: Antworte auf Deutsch.
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    when: input.language == 'de'
    content: Antworte auf Deutsch.
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
