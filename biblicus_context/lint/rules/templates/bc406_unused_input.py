"""BC406: callers have to hand in what nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.declared_inputs import declared_inputs
from biblicus_context.lint.facts.templates.inputs import is_accepted_anyway, names_used
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or not context.inputs or not declared.is_whole:
        return
    used = names_used(context, declared)
    if used is None:
        return
    for given in declared_inputs(plan):
        if given.name not in used and not is_accepted_anyway(given.name):
            yield plan.remark(
                given.path,
                "no text, condition or query uses this input",
                found=given.name,
                advice=f"Use it as {{input.{given.name}}}, or remove it.",
            )


RULE = Rule(
    code="BC406",
    name="unused-input",
    severity=Severity.WARNING,
    finds="A context declares an input that neither its texts and conditions use, nor the "
    "retrievers and contexts it inserts.",
    why="Callers have to find and hand in a value that changes nothing. Mostly the text that was to "
    "use it has been lost, or spells it in another way.",
    instead="Use the input, or take it out of `inputs`.",
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
