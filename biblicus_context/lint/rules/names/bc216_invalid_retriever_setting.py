"""BC216: a setting that the retriever does not accept."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.builtin_retrievers import setting_problems, violation_of
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import OWN_CORPUS


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for problem in setting_problems(plan, declared):
        if problem.path[-1:] != ("retriever_id",):
            yield violation_of(plan, problem)


RULE = Rule(
    code="BC216",
    name="invalid-retriever-setting",
    severity=Severity.ERROR,
    finds=(
        "A retriever over a corpus with a `root`, or a combined one, has a setting that its "
        "`retriever_id` does not accept, or a value that the setting does not accept."
    ),
    why=(
        "The engine rejects the setting when the context is assembled. Retrievers that are passed "
        "from Python, or that have Biblicus settings such as `configuration`, are not checked, "
        "because other libraries use the same ids with other settings."
    ),
    instead="Write one of the settings that the finding lists, or remove this one.",
    bad="""\
kind: retriever
name: kb
corpus: handbook
config:
  retriever_id: hybrid
  query: "{input.question}"
  dedup: true  # <- BC216
  rank: {recencie: 1}  # <- BC216
"""
    + OWN_CORPUS,
    good="""\
kind: retriever
name: kb
corpus: handbook
config:
  retriever_id: hybrid
  query: "{input.question}"
  dedupe: true
  rank: {recency: 1}
"""
    + OWN_CORPUS,
    check=_check,
    depends_on=frozenset(),
)
