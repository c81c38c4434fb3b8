"""BC242: a pattern that matches no file of its corpus."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from biblicus_context.base.gitignore import IgnorePatterns, parse_line
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.builtin_retrievers import searches_own_corpus
from biblicus_context.lint.facts.project.own_corpora import (
    corpus_files,
    corpus_searched_by,
    texts_under,
)
from biblicus_context.lint.rules.example_parts import ASKING
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration
from biblicus_context.stores.globs import Globs

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declarations
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    match plan.declaration:
        case CorpusDeclaration() as corpus:
            yield from _of_corpus(plan, corpus, declared)
        case RetrieverDeclaration() as retriever if searches_own_corpus(retriever, declared):
            yield from _of_filter(plan, retriever, declared)


def _of_corpus(
    plan: Plan, corpus: CorpusDeclaration, declared: Declarations
) -> Iterator[Violation]:
    if not corpus.config.keys() & {"include", "exclude"}:
        return
    found = corpus_files(corpus, declared)
    if found is None:
        return
    for setting in ("include", "exclude"):
        for path, pattern in texts_under(plan.document, ("config", setting)):
            if parse_line(pattern) is None:
                yield plan.violation(path, "this is not a .gitignore pattern", found=pattern)
            elif not _matches(pattern, found.entries):
                yield _unmatched(plan, path, pattern)


def _of_filter(
    plan: Plan, retriever: RetrieverDeclaration, declared: Declarations
) -> Iterator[Violation]:
    corpus = corpus_searched_by(retriever, declared)
    globs = list(texts_under(plan.document, ("config", "filters", "path")))
    found = corpus_files(corpus, declared) if corpus and globs else None
    if found is None:
        return
    for path, glob in globs:
        # A number sign separates a file from a record in it.
        if not has_placeholders(glob) and "#" not in glob:
            pattern = Globs([glob])
            if not any(map(pattern.match, found.files)):
                yield _unmatched(plan, path, glob)


def _matches(pattern: str, entries: Collection[str]) -> bool:
    patterns = IgnorePatterns([pattern])
    return any(patterns.verdict(entry) is not None for entry in entries)


def _unmatched(plan: Plan, path: tuple[str | int, ...], pattern: str) -> Violation:
    return plan.violation(
        path,
        "the pattern matches no file of the corpus",
        found=pattern,
        advice="Patterns are relative to the root of the corpus.",
    )


RULE = Rule(
    code="BC242",
    name="unmatched-pattern",
    severity=Severity.WARNING,
    finds=(
        "A pattern under `include` or `exclude` of a corpus, or `path` in the filters of a "
        "retriever, matches no file below the root."
    ),
    why=(
        "A misspelled pattern leaves files out of the index, or puts files in it that were to be "
        "left out, and nothing reports it. A folder of more than 10,000 files is not checked."
    ),
    instead="Correct the pattern or remove it.",
    bad="""\
kind: corpus
name: handbook
config:
  root: handbook
  include: ["*.mdx"]  # <- BC242
"""
    + ASKING,
    good="""\
kind: corpus
name: handbook
config:
  root: handbook
  include: ["*.md"]
"""
    + ASKING,
    check=_check,
    depends_on=frozenset(),
)
