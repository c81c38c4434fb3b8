"""BC148: an example that does not match the type of its input."""

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
        found = (
            rejected_value(each, {each.name: each.spec.example})
            if each.spec.example is not None
            else None
        )
        if found is not None:
            problem = f"the example of input '{each.name}' is not of type {each.spec.type}"
            yield plan.violation(
                (*each.path, "example"),
                problem,
                found=found,
                advice="Change the example or the type.",
            )


RULE = Rule(
    code="BC148",
    name="invalid-example",
    severity=Severity.WARNING,
    finds="The example of an input does not match the type of the input.",
    why="Error messages show the example to callers, and a call that follows it fails.",
    instead="Write an example of the declared type, or change the type.",
    bad="""\
kind: context
name: support
inputs:
  question: string
  order: {type: object, example: A-1042} # <- BC148
messages:
  - {type: system, content: "The order is {input.order.id}."}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
inputs:
  question: string
  order: {type: object, example: {id: A-1042}}
messages:
  - {type: system, content: "The order is {input.order.id}."}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
