"""BC303: the share of a pack is too small to be useful."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.assembly.packs.row import SMALLEST_REMNANT
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.pack_shares import pack_shares
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE, NEWS


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for share in pack_shares(plan, declared):
        if share.tokens is None or not share.claim.elastic:
            continue
        left = share.tokens - share.claim.needs
        if left >= SMALLEST_REMNANT:
            continue
        effect = "which is too few for a sentence" if share.tokens else "so it is never fetched"
        if share.claim.needs:
            effect = f"of which its own texts leave {max(0, left)} for evidence"
        if share.own is not None and share.own == share.tokens:
            advice = "Raise the budget of the pack."
        else:
            advice = "Raise the pack budget, or insert fewer packs."
        plural = "" if share.tokens == 1 else "s"
        yield plan.violation(
            (*share.insert.path, "name"),
            f"the share of pack '{share.insert.name}' is {share.tokens} token{plural}, {effect}",
            advice=advice,
        )


RULE = Rule(
    code="BC303",
    name="pack-share-too-small",
    severity=Severity.WARNING,
    finds="The share of a pack is 0 tokens, or too small for a sentence.",
    why=(
        f"A pack without a share is not fetched, and a pack with fewer than {SMALLEST_REMNANT} "
        "tokens is cut to a few words that say nothing."
    ),
    instead="Raise the pack budget, or insert fewer packs.",
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
