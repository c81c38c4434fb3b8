"""BC313: a priority on a text that never shrinks."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.facts.templates.texts import directives_of
from biblicus_context.spec.directive import SystemMessageSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for path, directive in directives_of(plan.declaration, SystemMessageSpec):
        if not directive.shrink and "priority" in directive.model_fields_set:
            yield plan.violation(
                (*path, "priority"),
                "'priority' has no effect: this text never shrinks",
                advice="Remove it, or set shrink: true.",
                edits=removal(plan, (*path, "priority")),
            )


RULE = Rule(
    code="BC313",
    name="priority-without-shrink",
    severity=Severity.WARNING,
    finds="A system text has a `priority` but not `shrink: true`.",
    why=(
        "The priority decides which of the `shrink: true` texts is shortened first. A text without "
        "`shrink: true` is always placed whole, so its priority has no effect."
    ),
    instead="Set `shrink: true`, or remove `priority`.",
    bad="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 4000}}
messages:
  - type: system
    content: Hints that are nice to have.
    priority: -1  # <- BC313
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 4000}}
messages:
  - type: system
    content: Hints that are nice to have.
    shrink: true
    priority: -1
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
