"""BC231: a compactor that takes the name of a built-in one."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.declared import Declared
from biblicus_context.lint.facts.plan import Plan
from biblicus_context.text.compactors.registry import COMPACTORS


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Declared compactors come before the built-in ones."""
    del declared
    name = plan.declaration.name
    if plan.kind == "compactor" and name in COMPACTORS.entries:
        yield plan.remark(
            ("name",),
            f"every plan that names {name!r} gets this compactor instead of the built-in one",
            advice="Rename it.",
        )


RULE = Rule(
    code="BC231",
    name="shadowed-compactor",
    severity=Severity.WARNING,
    finds="A declared compactor with the name of a built-in one.",
    why=(
        "`compactor: truncate` then means something else in this project than everywhere else, also "
        "in plans whose authors have never seen this file."
    ),
    instead="Give it a name of its own.",
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
)
