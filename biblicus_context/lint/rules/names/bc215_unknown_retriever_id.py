"""BC215: a `retriever_id` that does not exist."""

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
        if problem.path[-1:] == ("retriever_id",):
            yield violation_of(plan, problem)


RULE = Rule(
    code="BC215",
    name="unknown-retriever-id",
    severity=Severity.ERROR,
    finds="A retriever over a corpus with a `root`, or one with sources (`of`), has an unknown `retriever_id`.",
    why=(
        "It cannot search, and the call fails when the context is assembled. "
        "Retrievers that are passed from Python, or that have Biblicus settings such as "
        "`configuration`, are not checked."
    ),
    instead=(
        "Write one of the names that the finding lists. List retrievers of other libraries under "
        "`retrievers` in the linter's settings."
    ),
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
    depends_on=frozenset(),
)
