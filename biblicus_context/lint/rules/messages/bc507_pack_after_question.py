"""BC507: evidence is placed behind the question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.messages.placement import last, spots
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    found = spots(plan, declared)
    question = last(found, "user")
    if question < 0 or question < last(found, "assistant", "history"):
        return
    for spot in found[question + 1 :]:
        if spot.kind == "context" and spot.path[:2] != found[question].path[:2]:
            yield plan.remark(
                spot.path,
                "this pack is placed behind the question, as a system message of its own",
                advice="Move it in front of the user message.",
            )


RULE = Rule(
    code="BC507",
    name="pack-after-question",
    severity=Severity.WARNING,
    finds="A pack is inserted behind the last user message.",
    why="The pack becomes a system message at the end of the call. Some providers refuse it, others "
    "move it, and to the model the last word is the evidence instead of the question.",
    instead="Insert packs in front of the question.",
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
