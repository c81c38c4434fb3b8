"""BC147: a default that does not match the type of its input."""

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
    """Lets the engine check a call without the input."""
    del declared
    for name, spec, path in declared_inputs(plan):
        if spec.has_default:
            alone = ContextDeclaration(name=plan.declaration.name, inputs={name: spec})
            try:
                checked_inputs(alone, {})
            except InputError as error:
                problem = f"the default of input '{name}' is not of type {spec.type}"
                yield plan.remark((*path, "default"), problem, found=str(error.found))


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
