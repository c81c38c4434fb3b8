"""BC216: a setting of a retriever that cannot be meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.builtin_retrievers import own_problems, remark_on
from biblicus_context.lint.rules.example_parts import OWN_CORPUS

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    for problem in own_problems(plan, declared):
        if problem.path != ("retriever_id",):
            yield remark_on(plan, problem)


RULE = Rule(
    code="BC216",
    name="unclear-retriever-setting",
    severity=Severity.ERROR,
    finds="A setting that the `retriever_id` does not have, or a value that it cannot take, over a "
    "corpus with a `root` in the same project.",
    why="The engine refuses the settings when the context is assembled. Files alone cannot tell: "
    "retrievers of other libraries have the same names and other settings. So one that Python hands "
    "in, or that has settings of Biblicus such as `configuration`, is not looked at.",
    instead="Write the setting that the finding lists, or take it out.",
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
)
