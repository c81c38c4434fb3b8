"""BC405: a text takes for granted what a caller may leave out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.templates.inputs import contracts, input_uses
from biblicus_context.lint.facts.templates.parsed_template import Use
from biblicus_context.lint.facts.templates.texts import Text, Written, conditions, remark_in
from biblicus_context.spec.context import InputSpec

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    uses = input_uses(plan, declared)
    known = list(contracts(plan, declared)) if uses else []
    seen: set[tuple[object, str]] = set()
    for written, use in uses:
        root = ".".join(use.path.split(".")[:2])
        name = root.removeprefix("input.")
        if (written.path, root) in seen or not _needs_a_value(use, root, written):
            continue
        if not any(name in inputs and _may_be_null(inputs[name]) for _, inputs in known):
            continue
        if use.has_default or _is_guarded(plan, declared, written, root):
            continue
        seen.add((written.path, root))
        yield remark_in(
            plan,
            written,
            use.offset,
            f"input '{name}' may be left out, and this text needs it",
            found=use.path,
            advice=f"Use a template with {{% if {root} %}}, give the directive when: {root}, "
            "or give the input a default.",
        )


def _needs_a_value(use: Use, root: str, written: Text | Written) -> bool:
    """Null itself is written as nothing, but has no parts and cannot be walked through."""
    return use.path != root or root in written.reading.looped


def _may_be_null(spec: InputSpec) -> bool:
    return spec.default is None and (spec.has_default or not spec.required)


def _is_guarded(plan: Plan, declared: Declared, written: Text | Written, root: str) -> bool:
    if root in written.reading.guards:
        return True
    return any(
        written.directive[: len(condition.directive)] == condition.directive
        and condition.path != written.path
        and any(use.path == root for use in condition.reading.uses)
        for condition in conditions(plan.declaration)
    )


RULE = Rule(
    code="BC405",
    name="optional-input-unguarded",
    severity=Severity.WARNING,
    finds="A text uses a part of an input that is not required and has no default, and nothing "
    "makes sure that it is there.",
    why="An input that is left out is null. Null is written as nothing, but has no parts: the first "
    "call without it ends in a TemplateError, long after the tests with it have passed.",
    instead="Guard the text with `{% if input.order %}` or `when: input.order`, write a default "
    "as in `{{ input.order.id | default('') }}`, or give the input one.",
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
