"""BC233: an input name that cannot be used in a placeholder."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import declared_inputs
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.text.templates.placeholders import PLACEHOLDER


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Skips inputs that a template finds by their quoted names."""
    del declared
    for name, _, path in declared_inputs(plan):
        if not _can_be_named(name) and not _is_looked_up(name, plan):
            yield plan.violation(
                path,
                "the input name cannot be used in a placeholder",
                found=name,
                advice="Use letters, digits and underscores, and begin with a letter.",
            )


def _can_be_named(name: str) -> bool:
    return "." not in name and PLACEHOLDER.fullmatch(f"{{input.{name}}}") is not None


def _is_looked_up(name: str, plan: Plan) -> bool:
    assert isinstance(plan.declaration, ContextDeclaration)
    quoted = f"'{name}'", f'"{name}"'
    return any(each in text for text in plan.declaration.texts for each in quoted)


RULE = Rule(
    code="BC233",
    name="invalid-input-name",
    severity=Severity.WARNING,
    finds=(
        "The name of an input contains a dash, a space or a dot, or does not begin with a letter."
    ),
    why=(
        "`{input.order-id}` is not a placeholder and stays in the text unchanged; in Jinja2 it is "
        "a subtraction. Only `input['order-id']` in a template finds the value."
    ),
    instead="Use letters, digits and underscores, and begin with a letter: `order_id`.",
    bad="""\
kind: context
name: support
inputs:
  question: string
  order-id: string # <- BC233
messages:
  - {type: system, content: "The order is {input.order-id}."}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
inputs:
  question: string
  order_id: string
messages:
  - {type: system, content: "The order is {input.order_id}."}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
    depends_on=frozenset(),
)
