"""BC307: retrievers are never paged, whatever `expansion` says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import policy_in
from biblicus_context.lint.facts.budgets.policy_effects import asks_no_retriever, lacks_shares
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    policy = policy_in(plan)
    expansion = policy.spec.expansion if policy else None
    if policy is None or expansion is None:
        return
    pages, ratio = policy.at("expansion", "max_pages"), policy.at("expansion", "min_fill_ratio")
    if expansion.max_pages == 1:
        if expansion.min_fill_ratio is not None:
            yield plan.remark(
                ratio,
                "'min_fill_ratio' has no effect: only one page is asked for",
                advice="Set max_pages to 2 or more, or remove min_fill_ratio.",
                edits=removal(plan, ratio),
            )
    elif expansion.min_fill_ratio == 0:
        problem = "the second page is never asked for: no part of the share has to be filled"
        yield plan.remark(ratio, problem, advice="Set min_fill_ratio above 0, or remove it.")
    elif lacks_shares(plan, declared):
        yield plan.remark(
            pages,
            "the second page is never asked for: only a pack with a share is paged",
            advice="Set pack_budget, or give the packs a budget of their own.",
        )
    elif asks_no_retriever(plan, declared):
        problem = "there is nothing to page: this context asks no retriever"
        yield plan.remark(pages, problem, advice="Remove expansion.")


RULE = Rule(
    code="BC307",
    name="expansion-never-runs",
    severity=Severity.WARNING,
    finds="`expansion` asks for pages that are never fetched, or says when to stop paging where "
    "there is only one page.",
    why="A retriever is asked for its next page only while `max_pages` allows it and its share is "
    "not filled to `min_fill_ratio`. With one page, without a share, or with a ratio of 0 that is "
    "never so.",
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
