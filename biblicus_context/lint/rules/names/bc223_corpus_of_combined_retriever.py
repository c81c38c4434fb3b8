"""BC223: a corpus next to the sources of a combined retriever."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import FOUND
from biblicus_context.spec.combined import COMBINED
from biblicus_context.spec.retriever import RetrieverDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    retriever = plan.declaration
    if (
        isinstance(retriever, RetrieverDeclaration)
        and retriever.config.get("retriever_id") == COMBINED
        and retriever.corpus is not None
    ):
        yield plan.violation(
            ("corpus",),
            "a combined retriever searches no corpus itself",
            found=retriever.corpus,
            advice="Remove it, and write the corpus next to the retriever_id of each source.",
        )


RULE = Rule(
    code="BC223",
    name="corpus-of-combined-retriever",
    severity=Severity.ERROR,
    finds="A combined retriever names a corpus.",
    why=(
        "Its sources are searched, each in a corpus of its own: this corpus would be searched by none "
        "of them. The engine rejects the retriever when it is used."
    ),
    instead="Name the corpus of each source that is declared in place, and none above them.",
    bad="""\
kind: retriever
name: kb
corpus: handbook  # <- BC223
config:
  retriever_id: combined
  of:
    - found
    - {retriever_id: recent, corpus: handbook}
"""
    + FOUND,
    good="""\
kind: retriever
name: kb
config:
  retriever_id: combined
  of:
    - found
    - {retriever_id: recent, corpus: handbook}
"""
    + FOUND,
    check=_check,
    depends_on=frozenset(),
)
