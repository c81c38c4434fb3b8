"""BC312: `shrink: true` has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.assembly.limits import Limits
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.facts.templates.texts import Steps, directives_of
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import SystemMessageSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    shrinking = [
        path for path, directive in directives_of(context, SystemMessageSpec) if directive.shrink
    ]
    limits = declared.limits(context) if shrinking else None
    if limits is None or is_inserted(context, declared):
        return
    for path in shrinking:
        yield from _violation(plan, (*path, "shrink"), limits)


def _violation(plan: Plan, path: Steps, limits: Limits) -> Iterator[Violation]:
    if limits.overflow != "compact":
        yield plan.violation(
            path,
            f"'shrink' has no effect: with overflow: {limits.overflow} nothing is shortened",
            advice="Remove shrink, or set overflow: compact.",
            edits=removal(plan, path),
        )
    elif limits.budget is None:
        yield plan.violation(
            path,
            "'shrink' has no effect: no input budget is set",
            advice="Set input_budget or model in the policy.",
        )


RULE = Rule(
    code="BC312",
    name="ineffective-shrink",
    severity=Severity.WARNING,
    finds="A text is marked `shrink: true`, but its policy never shortens anything.",
    why=(
        "Texts shrink only with `overflow: compact`, when the input budget is exceeded. Without an "
        "input budget, or with `overflow: error` or `none`, the whole text is placed."
    ),
    instead="Set `input_budget` and `overflow: compact`, or remove `shrink`.",
    bad="""\
kind: context
name: support
policy: {compactor: extractive}
messages:
  - type: system
    content: Hints that are nice to have.
    shrink: true  # <- BC312
  - {type: context, name: kb, budget: {max_tokens: 500}, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 4000}, compactor: extractive}
messages:
  - type: system
    content: Hints that are nice to have.
    shrink: true
  - {type: context, name: kb, budget: {max_tokens: 500}, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
