"""BC215: a way of searching that is not there."""

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
        if problem.path == ("retriever_id",):
            yield remark_on(plan, problem)


RULE = Rule(
    code="BC215",
    name="unknown-retriever",
    severity=Severity.ERROR,
    finds="A `retriever_id` that is not known, over a corpus with a `root` in the same project.",
    why="Nothing could search the corpus: the engine raises an error when the context is assembled. "
    "A retriever that Python hands in, or that has settings of Biblicus such as `configuration`, is "
    "not looked at.",
    instead="Write one of the names that the finding lists. A retriever of another library is named "
    "among `retrievers` in the linter's settings.",
    bad="""\
kind: retriever
name: kb
corpus: handbook
config: {retriever_id: hybird, query: "{input.question}"}  # <- BC215
"""
    + OWN_CORPUS,
    good="""\
kind: retriever
name: kb
corpus: handbook
config: {retriever_id: hybrid, query: "{input.question}"}
"""
    + OWN_CORPUS,
    check=_check,
)
