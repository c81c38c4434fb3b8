"""BC409: a text quotes a pack that is not placed in every call."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.quoted_packs import own_quotes
from biblicus_context.lint.facts.templates.texts import violation_in
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    always = {insert.name for insert in inserts(plan, declared) if insert.always}
    for text, name, use, _ in own_quotes(plan, declared):
        if text.spec.when is None and name not in always:
            yield violation_in(
                plan,
                text,
                use.offset,
                f"pack '{name}' is not placed in every call, but this text always quotes it",
                found=f"context.{name}",
                advice="Give this text the same when, or test the pack in a template: "
                f"{{% if context.{name} is defined %}}",
            )


RULE = Rule(
    code="BC409",
    name="quote-of-conditional-pack",
    severity=Severity.WARNING,
    finds="A text that is always placed quotes a pack that has a `when` or is an alternative.",
    why="In a call without the pack, `{context.NAME}` has no value and the call fails.",
    instead="Guard the text with the same condition as the pack.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, when: input.search, format: {fence: true}}
  - type: user
    content: |-
      {context.kb}  <- BC409
      Question: {input.question}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, when: input.search, format: {fence: true}}
  - type: user
    template: |-
      {% if context.kb is defined %}{{ context.kb }}{% endif %}
      Question: {{ input.question }}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
