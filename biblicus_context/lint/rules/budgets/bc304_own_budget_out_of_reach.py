"""BC304: the budgets of packs do not fit into what they are shares of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import Share, pack_shares
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE, NEWS
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    shares = pack_shares(plan, declared)
    for share in shares:
        if share.own is not None and share.tokens is not None and share.own > share.tokens:
            yield plan.remark(
                (*share.insert.path, "budget"),
                f"the budget of pack '{share.insert.name}' is {share.own:,} tokens, "
                f"but its share of the pack budget comes to {share.tokens:,}",
                advice="Lower it, raise the pack budget, or give the pack more weight.",
            )
    yield from _more_than_the_input(plan, declared, shares)


def _more_than_the_input(
    plan: Plan, declared: Declared, shares: tuple[Share, ...]
) -> Iterator[Remark]:
    """Without a pack budget nothing divides the input budget, so the packs' own come together."""
    if not shares or not isinstance(plan.declaration, ContextDeclaration):
        return
    limits = declared.limits(plan.declaration)
    if limits is None or limits.budget is None or limits.pack_total is not None:
        return
    together = 0
    for share in shares:
        together += (share.own or 0) if share.insert.always else 0
        if together > limits.budget:
            yield plan.remark(
                (*share.insert.path, "budget"),
                f"the budgets of the packs come to {together:,} tokens together, "
                f"the input budget is {limits.budget:,}",
                advice="Lower them, or divide the input budget with pack_budget and weights.",
            )
            return


RULE = Rule(
    code="BC304",
    name="own-budget-out-of-reach",
    severity=Severity.WARNING,
    finds="A pack's own budget is more than its share can ever be, or all of them together are "
    "more than the input budget.",
    why="A pack's own budget only caps its share. Where the pack budget, divided by weight, comes "
    "to less, the cap does nothing and the pack gets fewer tokens than its author wrote.",
    instead="Let the budgets of the packs sum up to the pack budget, or divide it by `weight` "
    "alone.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 8000}
  pack_budget: {default_max_tokens: 4000}
messages:
  - type: context
    name: kb
    budget: {max_tokens: 3000}  # <- BC304
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
