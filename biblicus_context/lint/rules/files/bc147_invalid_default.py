"""BC147: a default that does not match the type of its input."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import declared_inputs, rejected_value


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for each in declared_inputs(plan):
        found = rejected_value(each, {}) if each.spec.has_default else None
        if found is not None:
            problem = f"the default of input '{each.name}' is not of type {each.spec.type}"
            yield plan.violation(
                (*each.path, "default"),
                problem,
                found=found,
                advice="Change the default or the type.",
            )


RULE = Rule(
    code="BC147",
    name="invalid-default",
    severity=Severity.ERROR,
    finds="The default of an input does not match the type of the input.",
    why="Every call that omits the input fails, although the input has a default.",
    instead="Write a default of the declared type, or change the type.",
    bad="""\
kind: context
name: support
inputs:
  question: string
  limit: {type: integer, default: many} # <- BC147
messages:
  - {type: system, content: "Write {input.limit} sentences at most."}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
inputs:
  question: string
  limit: {type: integer, default: 3}
messages:
  - {type: system, content: "Write {input.limit} sentences at most."}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
