"""BC321: the minimums of packs do not fit together."""

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
    if not isinstance(plan.declaration, ContextDeclaration):
        return
    shares = pack_shares(plan, declared)
    limits = declared.limits(plan.declaration)
    for share in shares:
        if share.own is not None and share.claim.minimum > share.own:
            yield _violation(
                plan,
                share,
                f"min_tokens is {share.claim.minimum:,}, but the pack can get at most "
                f"{share.own:,} by its own budget",
            )
    if limits is None or limits.overflow == "none":
        return
    total, name = limits.pack_total, "pack budget"
    if total is None:
        total, name = limits.budget, "input budget"
    together = 0
    for share in shares:
        together += share.claim.floor if share.insert.always else 0
        if total is not None and together > total and share.claim.minimum:
            yield _violation(
                plan,
                share,
                f"the packs are guaranteed {together:,} tokens up to here, "
                f"but the {name} is {total:,}",
            )
            return


def _violation(plan: Plan, share: PackShare, problem: str) -> Violation:
    return plan.violation(
        (*share.insert.path, "budget", "min_tokens"),
        problem,
        advice="Lower min_tokens, or raise the budget.",
    )


RULE = Rule(
    code="BC321",
    name="minimums-over-budget",
    severity=Severity.WARNING,
    finds=(
        "The minimums of the packs, and the texts of inserted contexts, come to more than the pack "
        "budget or the input budget; or a minimum is larger than the pack's own budget."
    ),
    why=(
        "`min_tokens` guarantees a pack its tokens before other packs get more. If not all minimums "
        "fit, packs of higher priority get theirs, and others get less than they are guaranteed."
    ),
    instead="Lower the minimums, or raise the budget that they are taken from.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 8000}
  pack_budget: {default_max_tokens: 1000}
messages:
  - {type: context, name: kb, budget: {min_tokens: 800}, format: {fence: true}}
  - {type: context, name: news, budget: {min_tokens: 300}, format: {fence: true}}  # <- BC321
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE
    + NEWS,
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 8000}
  pack_budget: {default_max_tokens: 1200}
messages:
  - {type: context, name: kb, budget: {min_tokens: 800}, format: {fence: true}}
  - {type: context, name: news, budget: {min_tokens: 300}, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE
    + NEWS,
    check=_check,
)
