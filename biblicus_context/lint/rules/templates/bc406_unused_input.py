"""BC406: an input that is not used."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import (
    declared_inputs,
    is_accepted_anyway,
    names_used,
)
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or not context.inputs or not declared.is_whole:
        return
    used = names_used(context, declared)
    if used is None:
        return
    for given in declared_inputs(plan):
        if given.name not in used and not is_accepted_anyway(given.name):
            yield plan.violation(
                given.path,
                "the input is not used by any text, condition or query",
                found=given.name,
                advice=f"Use it as {{input.{given.name}}}, or remove it.",
            )


RULE = Rule(
    code="BC406",
    name="unused-input",
    severity=Severity.WARNING,
    finds=(
        "A context declares an input that its texts, conditions, retrievers and nested contexts do "
        "not use."
    ),
    why=(
        "Callers have to supply a value that has no effect. Often the text that used it was "
        "removed, or spells the name differently."
    ),
    instead="Use the input, or remove it from `inputs`.",
    bad="""\
kind: context
name: support
inputs:
  question: string
  language: string  # <- BC406
messages:
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
inputs:
  question: string
  language: string
messages:
  - {type: system, content: "Answer in {input.language}."}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
