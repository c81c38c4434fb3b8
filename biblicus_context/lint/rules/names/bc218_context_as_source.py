"""BC218: a context among the sources of a combined retriever."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.combined_retrievers import (
    all_settings,
    source_name,
    sources_in,
)
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import FOUND, OWN_CORPUS
from biblicus_context.spec.retriever import RetrieverDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    if not isinstance(plan.declaration, RetrieverDeclaration):
        return
    for path, config in all_settings(plan.declaration.config):
        for index, source in sources_in(config):
            named = source_name(source)
            if named is not None and ("context", named[1]) in declared.by_name:
                yield plan.violation(
                    (*path, "of", index, *named[0]),
                    "a source is a retriever, and this is a context",
                    found=named[1],
                    advice="Insert the context next to the combined retriever.",
                )


RULE = Rule(
    code="BC218",
    name="context-as-source",
    severity=Severity.ERROR,
    finds="A combined retriever names a context as a source.",
    why=(
        "A context is text that is placed as it is; it has no blocks to rank with others. The engine "
        "rejects the project."
    ),
    instead="Name retrievers, and insert the context as a pack of its own.",
    bad="""\
kind: retriever
name: kb
config:
  retriever_id: combined
  of:
    - found
    - style # <- BC218
---
kind: retriever
name: found
corpus: handbook
config: {retriever_id: hybrid}
---
kind: context
name: style
messages:
  - {type: system, content: Write short sentences.}
"""
    + OWN_CORPUS,
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
)
