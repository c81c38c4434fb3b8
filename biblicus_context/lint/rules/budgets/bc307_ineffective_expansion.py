"""BC307: paging settings that have no effect."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.budgets.policy_effects import asks_no_retriever, lacks_shares
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    policy = policy_in(plan)
    expansion = policy.spec.expansion if policy else None
    if policy is None or expansion is None:
        return
    pages, ratio = policy.at("expansion", "max_pages"), policy.at("expansion", "min_fill_ratio")
    if expansion.max_pages == 1:
        if expansion.min_fill_ratio is not None:
            yield plan.violation(
                ratio,
                "'min_fill_ratio' has no effect: max_pages is 1",
                advice="Set max_pages to 2 or more, or remove min_fill_ratio.",
                edits=removal(plan, ratio),
            )
    elif expansion.min_fill_ratio == 0:
        problem = "no second page is ever fetched: min_fill_ratio is 0"
        yield plan.violation(ratio, problem, advice="Set min_fill_ratio above 0, or remove it.")
    elif lacks_shares(plan, declared):
        yield plan.violation(
            pages,
            "no second page is ever fetched: no pack has a share",
            advice="Set pack_budget, or give the packs their own budget.",
        )
    elif asks_no_retriever(plan, declared):
        problem = "'expansion' has no effect: this context has no retriever"
        yield plan.violation(pages, problem, advice="Remove expansion.")


RULE = Rule(
    code="BC307",
    name="ineffective-expansion",
    severity=Severity.WARNING,
    finds="`expansion` is set, but no retriever ever gets a second page.",
    why=(
        "The next page is fetched only while `max_pages` allows it and the share of the pack is "
        "filled to less than `min_fill_ratio`. With one page, without a share, or with a ratio of "
        "0 this never happens."
    ),
    instead="Set `max_pages` to 2 or more, and give the packs a share with `pack_budget`.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 4000}
  pack_budget: {default_ratio: 0.5}
  expansion:
    max_pages: 1
    min_fill_ratio: 0.9  # <- BC307
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 4000}
  pack_budget: {default_ratio: 0.5}
  expansion:
    max_pages: 3
    min_fill_ratio: 0.9
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
