"""BC219: weights of a ranking that are fractions of something else than 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum
from typing import Any, Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.combined_retrievers import all_settings
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import OWN_CORPUS
from biblicus_context.spec.retriever import RetrieverDeclaration

_ROUNDING: Final = 0.011
"""Thirds are written as 0.33."""


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    if not isinstance(plan.declaration, RetrieverDeclaration):
        return
    for path, config in all_settings(plan.declaration.config):
        rank = config.get("rank")
        weights = [*_weights(rank)] if isinstance(rank, Mapping) else []
        total = fsum(weights)
        if _are_fractions(weights) and abs(total - 1) > _ROUNDING:
            parts = " + ".join(f"{weight:g}" for weight in weights)
            yield plan.violation(
                (*path, "rank"),
                f"the weights are fractions, and their sum is {parts} = {total:g}",
                advice="Correct the weight that is wrong; they are divided by their sum.",
            )


def _weights(rank: Mapping[str, Any]) -> Iterator[float]:
    for given in rank.values():
        weight = given.get("weight", 1.0) if isinstance(given, Mapping) else given
        if isinstance(weight, int | float) and not isinstance(weight, bool):
            yield float(weight)


def _are_fractions(weights: list[float]) -> bool:
    """Whether their author divides 1 among them: all are below 1, and there are several."""
    return len(weights) > 1 and all(0 <= weight < 1 for weight in weights)


RULE = Rule(
    code="BC219",
    name="weights-sum",
    severity=Severity.WARNING,
    finds="All weights of a `rank` are fractions, and their sum is not 1.",
    why=(
        "The score is the weighted mean, so any weights work. But fractions are usually meant to "
        "be parts of 1: if their sum is not 1, one of them is probably wrong or missing."
    ),
    instead="Correct the weights, or write whole numbers, whose sum does not matter.",
    bad="""\
kind: retriever
name: kb
corpus: handbook
config:
  retriever_id: hybrid
  rank: {similarity: 0.5, recency: 0.3, importance: 0.3}  # <- BC219
"""
    + OWN_CORPUS,
    good="""\
kind: retriever
name: kb
corpus: handbook
config:
  retriever_id: hybrid
  rank: {similarity: 0.5, recency: 0.3, importance: 0.2}
"""
    + OWN_CORPUS,
    check=_check,
)
