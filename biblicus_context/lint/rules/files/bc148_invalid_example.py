"""BC148: an example that does not match the type of its input."""

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
    """Lets the engine check a call with the example."""
    del declared
    for name, spec, path in declared_inputs(plan):
        if spec.example is not None:
            alone = ContextDeclaration(name=plan.declaration.name, inputs={name: spec})
            try:
                checked_inputs(alone, {name: spec.example})
            except InputError as error:
                problem = f"the example of input '{name}' is not of type {spec.type}"
                yield plan.remark((*path, "example"), problem, found=str(error.found))


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
