"""BC147: a default that its own input refuses."""

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
    """Asks the engine itself what it would say to a call without the input."""
    del declared
    for name, spec, path in declared_inputs(plan):
        if spec.has_default:
            alone = ContextDeclaration(name=plan.declaration.name, inputs={name: spec})
            try:
                checked_inputs(alone, {})
            except InputError as error:
                problem = f"the default of {error.problem}"
                yield plan.remark((*path, "default"), problem, found=str(error.found))


RULE = Rule(
    code="BC147",
    name="default-of-another-type",
    severity=Severity.ERROR,
    finds="A default of an input that is not of the input's own type.",
    why="Every call that leaves the input out is refused, although it has a default.",
    instead="Write a default of the type, or change the type.",
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
