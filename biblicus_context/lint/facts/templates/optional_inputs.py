"""Inputs that a call may leave out, and the conditions that guard texts against it."""

from __future__ import annotations

from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import DirectiveText, FieldText, conditions
from biblicus_context.spec.context import InputSpec


def may_be_null(spec: InputSpec) -> bool:
    """Whether a call may leave the input out, so that it is null."""
    return spec.default is None and (spec.has_default or not spec.required)


def is_guarded(
    plan: Plan, declared: Declarations, written: DirectiveText | FieldText, root: str
) -> bool:
    """Whether a text is only rendered, or this path only written, where the input has a value."""
    if root in written.parsed.guards:
        return True
    return any(
        written.directive[: len(condition.directive)] == condition.directive
        and condition.path != written.path
        and any(use.path == root for use in condition.parsed.uses)
        for condition in conditions(plan.declaration)
    )
