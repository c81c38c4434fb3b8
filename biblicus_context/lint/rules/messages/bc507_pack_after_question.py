"""BC507: a pack after the question."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import last_index, placed_directives
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    found = placed_directives(plan, declared)
    question = last_index(found, "user")
    if question < 0 or question < last_index(found, "assistant", "history"):
        return
    for spot in found[question + 1 :]:
        if spot.kind == "context" and spot.path[:2] != found[question].path[:2]:
            yield plan.violation(
                spot.path,
                "the pack is placed after the question, as a separate system message",
                advice="Move it before the user message.",
            )


RULE = Rule(
    code="BC507",
    name="pack-after-question",
    severity=Severity.WARNING,
    finds="A pack is inserted after the last user message.",
    why=(
        "The pack becomes a system message at the end of the call. Some providers reject it, "
        "others move it, and the model reads evidence last instead of the question."
    ),
    instead="Insert packs before the question.",
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
  - {type: context, name: kb, format: {fence: true}}  # <- BC507
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
