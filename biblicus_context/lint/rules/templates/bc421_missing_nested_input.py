"""BC421: a nested context requires an input that cannot be passed."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import inputs_of, is_accepted_anyway
from biblicus_context.reading.listed_names import listed
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    known = inputs_of(context, declared)
    names = sorted(known or ())
    for insert in inserts(plan, declared) if known is not None else ():
        for name in _needed(insert.nested):
            if known is not None and name not in known and not is_accepted_anyway(name):
                yield plan.violation(
                    (*insert.path, "name"),
                    f"context '{insert.name}' requires an input that '{context.name}' does not declare",
                    found=name,
                    valid=listed(name, names),
                    advice=f"Declare it in '{context.name}', or give it a default in '{insert.name}'.",
                )


def _needed(context: ContextDeclaration | None) -> list[str]:
    inputs = context.inputs if context else None
    return [name for name, spec in (inputs or {}).items() if spec.required and not spec.has_default]


RULE = Rule(
    code="BC421",
    name="missing-nested-input",
    severity=Severity.ERROR,
    finds="An inserted context requires an input that the outer context does not declare.",
    why=(
        "A nested context gets the inputs of the outer one. A context that declares `inputs` "
        "rejects all others, so the required input is always missing and every call ends in an "
        "InputError."
    ),
    instead="Declare the input in both contexts, or give it a default in the nested one.",
    bad="""\
kind: context
name: support
inputs: {question: string}
messages:
  - {type: context, name: style}  # <- BC421
  - {type: user, content: "{input.question}"}
---
kind: context
name: style
inputs: {tone: string}
messages:
  - {type: system, content: "Your tone is {input.tone}."}
""",
    good="""\
kind: context
name: support
inputs: {question: string, tone: string}
messages:
  - {type: context, name: style}
  - {type: user, content: "{input.question}"}
---
kind: context
name: style
inputs: {tone: string}
messages:
  - {type: system, content: "Your tone is {input.tone}."}
""",
    check=_check,
)
