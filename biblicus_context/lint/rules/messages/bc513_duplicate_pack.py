"""BC513: a pack that is inserted twice."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    seen: set[str] = set()
    for insert in inserts(plan, declared):
        if insert.always and insert.name in seen:
            yield plan.violation(
                (*insert.path, "name"),
                f"pack '{insert.name}' is inserted a second time, with its own share",
                advice=f"Insert it once, and quote its text elsewhere as {{context.{insert.name}}}.",
            )
        seen |= {insert.name} if insert.always else set()


RULE = Rule(
    code="BC513",
    name="duplicate-pack",
    severity=Severity.WARNING,
    finds="A retriever or a context is inserted more than once in the same call.",
    why=(
        "The retriever is called twice and the same evidence is placed twice, because duplicates "
        "are removed only within one pack. Each insert takes its own share of the pack budget."
    ),
    instead="Insert the pack once.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: context, name: kb, format: {fence: true}}  # <- BC513
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
