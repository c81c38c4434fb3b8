"""BC243: a named document that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from biblicus_context.errors import closest
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.builtin_retrievers import searches_own_corpus
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.own_corpora import (
    corpus_files,
    corpus_searched_by,
    texts_under,
)
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import OWN_CORPUS
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.retriever import RetrieverDeclaration

_LISTED: Final = 8
_PATH: Final = re.compile(r"[^:#]*(?:/[^:#]*|\.[A-Za-z]\w{0,7})")
"""What looks like a path; anything else may be an id, which only the index knows."""


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    retriever = plan.declaration
    if not isinstance(retriever, RetrieverDeclaration):
        return
    named = [
        each
        for setting in ("documents", "from")
        for each in texts_under(plan.document, ("config", setting))
        if _PATH.fullmatch(each[1]) and not has_placeholders(each[1])
    ]
    if not named or not searches_own_corpus(retriever, declared):
        return
    corpus = corpus_searched_by(retriever, declared)
    found = corpus_files(corpus, declared) if corpus else None
    if found is None:
        return
    for path, document in named:
        if document not in found.files:
            yield plan.violation(
                path,
                "the corpus has no such document",
                found=document,
                valid=(*closest(document, found.files)[:_LISTED], "..."),
                advice="Paths are relative to the root of the corpus.",
            )


RULE = Rule(
    code="BC243",
    name="missing-document",
    severity=Severity.WARNING,
    finds="A retriever names a document by a path that does not exist below the root of its corpus.",
    why="The document is not found, and the pack is empty without an error.",
    instead="Correct the path. Paths are relative to the root of the corpus, not to the plan.",
    bad="""\
kind: retriever
name: kb
corpus: handbook
config:
  retriever_id: explicit
  documents: [handbook/returns.md]  # <- BC243
"""
    + OWN_CORPUS,
    good="""\
kind: retriever
name: kb
corpus: handbook
config:
  retriever_id: explicit
  documents: [returns.md]
"""
    + OWN_CORPUS,
    check=_check,
    depends_on=frozenset(),
)
