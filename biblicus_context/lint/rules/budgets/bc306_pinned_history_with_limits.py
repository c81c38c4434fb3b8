"""BC306: limits on a pinned history."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Edit, Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.facts.templates.texts import Steps, directives_of
from biblicus_context.spec.directive import HistoryInsertSpec

_LIMITS = ("keep_last", "max_turns", "budget", "start_on", "compactor", "low_mark")


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for path, history in directives_of(plan.declaration, HistoryInsertSpec):
        for key in _LIMITS if history.pin else ():
            if key in history.model_fields_set:
                yield plan.violation(
                    (*path, key),
                    f"'{key}' has no effect: the history is pinned, so no turn is ever dropped",
                    advice=f"Remove {key}, or remove pin.",
                    edits=_edits(plan, (*path, key), history),
                )


def _edits(plan: Plan, path: Steps, history: HistoryInsertSpec) -> tuple[Edit, ...]:
    """Keeps a ratio without an input budget: it is an error, which a fix must not hide."""
    if path[-1] == "budget" and history.budget and history.budget.ratio is not None:
        return ()
    return removal(plan, path)


RULE = Rule(
    code="BC306",
    name="pinned-history-with-limits",
    severity=Severity.WARNING,
    finds="A history is pinned and also has limits.",
    why="`pin: true` keeps every turn or raises an error, so the limits have no effect.",
    instead="Remove `pin`, or remove the limits.",
    bad="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 4000}}
messages:
  - type: history
    pin: true
    max_turns: 20  # <- BC306
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 4000}}
messages:
  - type: history
    max_turns: 20
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
