"""BC304: a pack budget that can never be used in full."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.pack_shares import PackShare, pack_shares
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE, NEWS
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    shares = pack_shares(plan, declared)
    for share in shares:
        if share.own is not None and share.most is not None and share.own > share.most:
            yield plan.violation(
                (*share.insert.path, "budget"),
                f"the budget of pack '{share.insert.name}' is {share.own:,} tokens, "
                f"but it can get at most {share.most:,}",
                advice="Lower it, or raise the pack budget.",
            )
    yield from _more_than_the_input(plan, declared, shares)


def _more_than_the_input(
    plan: Plan, declared: Declarations, shares: tuple[PackShare, ...]
) -> Iterator[Violation]:
    """Without a pack budget the input budget is not divided, so the budgets of the packs add up."""
    if not shares or not isinstance(plan.declaration, ContextDeclaration):
        return
    limits = declared.limits(plan.declaration)
    if limits is None or limits.budget is None or limits.pack_total is not None:
        return
    together = 0
    for share in shares:
        together += (share.own or 0) if share.insert.always else 0
        if together > limits.budget:
            yield plan.violation(
                (*share.insert.path, "budget"),
                f"the budgets of the packs add up to {together:,} tokens, "
                f"but the input budget is {limits.budget:,}",
                advice="Lower them, or divide the input budget with pack_budget and weights.",
            )
            return


RULE = Rule(
    code="BC304",
    name="unreachable-pack-budget",
    severity=Severity.WARNING,
    finds=(
        "The budget of a pack is larger than all that it can get of the pack budget, or the budgets "
        "of all packs together are larger than the input budget."
    ),
    why=(
        "The budget of a pack is only a cap. What other packs do not use flows to it, but never more "
        "than the pack budget, so a larger cap has no effect."
    ),
    instead="Lower the budget of the pack, or raise the pack budget.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 8000}
  pack_budget: {default_max_tokens: 4000}
messages:
  - type: context
    name: kb
    budget: {max_tokens: 5000}  # <- BC304
    format: {fence: true}
  - type: context
    name: news
    budget: {max_tokens: 2000}
    format: {fence: true}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE
    + NEWS,
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 8000}
  pack_budget: {default_max_tokens: 5000}
messages:
  - type: context
    name: kb
    budget: {max_tokens: 3000}
    format: {fence: true}
  - type: context
    name: news
    budget: {max_tokens: 2000}
    format: {fence: true}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE
    + NEWS,
    check=_check,
)
