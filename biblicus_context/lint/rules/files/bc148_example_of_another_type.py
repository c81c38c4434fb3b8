"""BC148: an example that its own input refuses."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.assembly.inputs import checked_inputs
from biblicus_context.errors import InputError
from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.declared_inputs import declared_inputs
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Asks the engine itself what it would say to a call with the example."""
    del declared
    for name, spec, path in declared_inputs(plan):
        if spec.example is not None:
            alone = ContextDeclaration(name=plan.declaration.name, inputs={name: spec})
            try:
                checked_inputs(alone, {name: spec.example})
            except InputError as error:
                problem = f"the example of {error.problem}"
                yield plan.remark((*path, "example"), problem, found=str(error.found))


RULE = Rule(
    code="BC148",
    name="example-of-another-type",
    severity=Severity.WARNING,
    finds="An example of an input that is not of the input's own type.",
    why="Errors show the example to callers, who are refused when they follow it.",
    instead="Write an example of the type, or change the type.",
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
