"""BC512: a retriever option on a nested context."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.rules.example_parts import STYLE

_OF_RETRIEVERS = ("ordering", "on_error", "timeout_seconds", "dedupe")


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for insert in inserts(plan, declared):
        for key in _OF_RETRIEVERS if insert.nested else ():
            if key in insert.options.model_fields_set:
                yield plan.violation(
                    (*insert.path, key),
                    f"'{key}' has no effect: '{insert.name}' is a context, not a retriever",
                    advice=f"Set it on the packs that context '{insert.name}' inserts.",
                    edits=removal(plan, (*insert.path, key)),
                )


RULE = Rule(
    code="BC512",
    name="retriever-option-on-context",
    severity=Severity.WARNING,
    finds=(
        "A context is inserted with `ordering`, `on_error`, `timeout_seconds` or `dedupe`, which "
        "only retrievers support."
    ),
    why=(
        "The options have no effect on a context: with `on_error: skip` an error of a retriever in "
        "it still fails the call."
    ),
    instead="Write the options in the nested context, on the packs that it inserts.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: style, on_error: skip}  # <- BC512
  - {type: user, content: "{input.question}"}
"""
    + STYLE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: style}
  - {type: user, content: "{input.question}"}
"""
    + STYLE,
    check=_check,
)
