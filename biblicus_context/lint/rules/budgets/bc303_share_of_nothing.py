"""BC303: a pack gets a share in which nothing can be said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.assembly.packs.row import SMALLEST_REMNANT
from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import pack_shares
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE, NEWS

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    for share in pack_shares(plan, declared):
        if share.tokens is None or share.tokens >= SMALLEST_REMNANT:
            continue
        asked = "too few to say anything" if share.tokens else "it is never asked"
        if share.own is not None and share.own == share.tokens:
            advice = "Raise its own budget."
        else:
            advice = "Raise the pack budget, or insert fewer packs."
        yield plan.remark(
            (*share.insert.path, "name"),
            f"the share of pack '{share.insert.name}' comes to {share.tokens} tokens: {asked}",
            advice=advice,
        )


RULE = Rule(
    code="BC303",
    name="share-of-nothing",
    severity=Severity.WARNING,
    finds="The pack budget, once it is divided, leaves a pack no token, or too few for a sentence.",
    why="A pack without a share is not asked at all, and one with a handful of tokens is cut to a "
    f"few words: less than {SMALLEST_REMNANT} tokens say nothing. The directive only looks as if "
    "it did something.",
    instead="Give the pack budget as many tokens as its packs need, or take packs out.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  pack_budget: {default_ratio: 0.01}
messages:
  - {type: context, name: kb, weight: 4, format: {fence: true}}
  - {type: context, name: news, format: {fence: true}}  # <- BC303
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE
    + NEWS,
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 2000}
  pack_budget: {default_ratio: 0.5}
messages:
  - {type: context, name: kb, weight: 4, format: {fence: true}}
  - {type: context, name: news, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE
    + NEWS,
    check=_check,
)
