"""BC222: the weight of a source where the ranking does not use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.combined_retrievers import all_settings, sources_in
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import FOUND
from biblicus_context.spec.retriever import RetrieverDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    if not isinstance(plan.declaration, RetrieverDeclaration):
        return
    for path, config in all_settings(plan.declaration.config):
        if _uses_scores(config.get("rank")):
            continue
        for index, source in sources_in(config):
            if isinstance(source, Mapping) and "weight" in source:
                yield plan.violation(
                    (*path, "of", index, "weight"),
                    "'weight' has no effect: rank does not use the scores of the sources",
                    advice="Add similarity to rank, or remove the weight.",
                )


def _uses_scores(rank: Any) -> bool:
    """Whether the scores of the sources count; a part of another package may use them."""
    if isinstance(rank, str):
        return rank == "similarity"
    if not isinstance(rank, Mapping):
        return True
    types = {
        str(given.get("type", name)) if isinstance(given, Mapping) else name
        for name, given in rank.items()
    }
    return "similarity" in types


RULE = Rule(
    code="BC222",
    name="ineffective-source-weight",
    severity=Severity.WARNING,
    finds="A source of a combined retriever has a `weight`, and `rank` has no `similarity`.",
    why=(
        "The weight of a source multiplies its scores. `similarity` is the only component of a "
        "ranking that uses them."
    ),
    instead="Add `similarity` to `rank`, rank by `found_by`, or remove the weight.",
    bad="""\
kind: retriever
name: kb
config:
  retriever_id: combined
  of:
    - found
    - retriever_id: recent
      corpus: handbook
      weight: 2  # <- BC222
  rank: {recency: 2, importance: 1}
"""
    + FOUND,
    good="""\
kind: retriever
name: kb
config:
  retriever_id: combined
  of:
    - found
    - retriever_id: recent
      corpus: handbook
      weight: 2
  rank: {similarity: 1, recency: 2, importance: 1}
"""
    + FOUND,
    check=_check,
)
