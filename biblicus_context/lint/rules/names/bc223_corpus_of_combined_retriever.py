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
            "a combined retriever whose sources are declared elsewhere searches no corpus itself",
            found=retriever.corpus,
            advice="Write the corpus next to the retriever_id of each source, or declare all in place.",
        )


RULE = Rule(
    code="BC223",
    name="corpus-of-combined-retriever",
    severity=Severity.ERROR,
    finds="A combined retriever names a corpus, and a source that is declared elsewhere.",
    why=(
        "A source that is declared elsewhere has a corpus of its own, so it is not clear which of them "
        "are to search this one. The engine rejects the retriever when it is used."
    ),
    instead=(
        "Name the corpus of each source that is declared in place. Where all of them are, they "
        "search the corpus that is named above them."
    ),
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
