"""BC231: a compactor with the name of a built-in one."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.text.compactors.registry import COMPACTORS


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Declared compactors take precedence over built-in ones."""
    del declared
    name = plan.declaration.name
    if plan.kind == "compactor" and name in COMPACTORS.entries:
        yield plan.violation(
            ("name",),
            f"the compactor {name!r} replaces the built-in compactor of this name",
            advice="Rename it.",
        )


RULE = Rule(
    code="BC231",
    name="shadowed-builtin",
    severity=Severity.WARNING,
    finds="A declared compactor has the same name as a built-in compactor.",
    why=(
        "In this project `compactor: truncate` then means something else than the documentation "
        "says, also in plans whose authors do not know this file."
    ),
    instead="Rename the compactor.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  compactor: truncate
messages:
  - {type: system, content: "{input.rules}", shrink: true}
  - {type: user, content: "{input.question}"}
---
kind: compactor
name: truncate # <- BC231
config: {type: head_tail}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  compactor: both_ends
messages:
  - {type: system, content: "{input.rules}", shrink: true}
  - {type: user, content: "{input.question}"}
---
kind: compactor
name: both_ends
config: {type: head_tail}
""",
    check=_check,
    depends_on=frozenset(),
)
