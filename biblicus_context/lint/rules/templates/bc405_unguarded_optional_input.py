"""BC405: an optional input that is used as if it were required."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import contracts, input_uses
from biblicus_context.lint.facts.templates.optional_inputs import is_guarded, may_be_null
from biblicus_context.lint.facts.templates.parsed_template import TemplateName
from biblicus_context.lint.facts.templates.texts import (
    DirectiveText,
    FieldText,
    violation_in,
)


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    uses = input_uses(plan, declared)
    known = list(contracts(plan, declared)) if uses else []
    seen: set[tuple[object, str]] = set()
    for written, use in uses:
        root = ".".join(use.path.split(".")[:2])
        name = root.removeprefix("input.")
        if (written.path, root) in seen or not _needs_a_value(use, root, written):
            continue
        if not any(name in inputs and may_be_null(inputs[name]) for _, inputs in known):
            continue
        if use.has_default or is_guarded(plan, declared, written, root):
            continue
        seen.add((written.path, root))
        yield violation_in(
            plan,
            written,
            use.offset,
            f"input '{name}' is optional, but this text requires it",
            found=use.path,
            advice=f"Use a template with {{% if {root} %}}, give the directive when: {root}, "
            "or give the input a default.",
        )


def _needs_a_value(use: TemplateName, root: str, written: DirectiveText | FieldText) -> bool:
    """Null is rendered as an empty text, but has no fields and no items."""
    return use.path != root or root in written.parsed.looped


RULE = Rule(
    code="BC405",
    name="unguarded-optional-input",
    severity=Severity.WARNING,
    finds=(
        "A text uses a field of an input that is optional, has no default, and is not guarded by a "
        "condition."
    ),
    why=(
        "An omitted input is null. Null is rendered as an empty text but has no fields, so the "
        "first call without the input ends in a TemplateError."
    ),
    instead=(
        "Guard the text with `{% if input.order %}` or `when: input.order`, write `{{ "
        "input.order.id | default('') }}`, or give the input a default."
    ),
    bad="""\
kind: context
name: support
inputs:
  question: string
  order: {type: object, required: false}
messages:
  - type: system
    content: "The order is {input.order.id}."  # <- BC405
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
inputs:
  question: string
  order: {type: object, required: false}
messages:
  - type: system
    when: input.order
    content: "The order is {input.order.id}."
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
