"""Cases about a retriever: how much of the evidence it finds in the index of its corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from biblicus_context.corpora import Corpus
from biblicus_context.errors import ContextError, LoadError
from biblicus_context.evaluation import evaluate_corpus, load_questions
from biblicus_context.golden.checks.call_result import Mismatch
from biblicus_context.golden.running.projects import retrievers_of
from biblicus_context.golden.suite.suite import Suite
from biblicus_context.golden.suite.trials import Exchange, Trial
from biblicus_context.reading.project import Project
from biblicus_context.spec.expectation import RecallExpectation

_ALONE = "questions", "recall_at"


def is_about_recall(trial: Trial) -> bool:
    """Whether a trial asks questions, and assembles nothing."""
    (first, *_) = trial.exchanges
    return first.given.questions is not None or first.wanted.expect.recall_at is not None


class RecallReader(NamedTuple):
    """Measures the questions of cases by the retrievers and corpora of a project."""

    suite: Suite
    project: Project

    def problems(self, trial: Trial) -> Iterator[Mismatch]:
        """What is wrong with the evidence that is found; a LoadError for a mistake in the case."""
        (exchange, *others) = trial.exchanges
        wanted, file = self._wanted(trial, exchange, has_turns=bool(others))
        name = self._retriever(trial, exchange)
        declared = self.project.retrievers[name]
        source = self.project.sources["retriever", name]
        try:
            with self._corpus(trial, name) as corpus:
                corpus.ingest()  # what is measured are the files as they are now
                (found,) = evaluate_corpus(
                    corpus,
                    load_questions(file),
                    {name: declared.config},
                    budgets=[wanted.tokens],
                    places={name: f"{source.file}:{source.line}: retriever '{name}' config"},
                )
        except LoadError:
            raise
        except ContextError as error:
            raise self._error(trial, str(error)) from None
        recall = found.recall[wanted.tokens]
        if recall < wanted.at_least:
            missed = "".join(f"; not all files for: {each}" for each in found.missed)
            yield Mismatch(
                ("recall_at", "at_least"),
                f"less evidence is in {wanted.tokens:,} tokens",
                f"{wanted.at_least:g}",
                f"{recall:.3f}{missed}",
            )

    def _wanted(
        self, trial: Trial, exchange: Exchange, *, has_turns: bool
    ) -> tuple[RecallExpectation, Path]:
        wanted, questions = exchange.wanted.expect.recall_at, exchange.given.questions
        if wanted is None or questions is None:
            missing = _ALONE[wanted is None]
            fix = (
                "Write 'questions: FILE' and 'expect: {recall_at: {tokens: 1000, at_least: 0.9}}'."
            )
            raise self._error(trial, f"a case about recall needs {missing}", fix)
        own = exchange.layers[-2].spec.expect  # the case; the last layer is that of its matrix
        others = (own.model_fields_set if own else set()) - {"recall_at"}
        if has_turns or others:
            found = "turns" if has_turns else f"expect.{min(others)}"
            fix = "Move it to another case: questions are asked of a retriever, and nothing is assembled."
            raise self._error(trial, f"a case with questions has no {found}", fix)
        file = self.suite.file.parent / questions
        if not file.is_file():
            fix = "Paths are relative to the file of the test."
            raise self._error(
                trial, f"the file of questions does not exist: found '{questions}'", fix
            )
        return wanted, file

    def _retriever(self, trial: Trial, exchange: Exchange) -> str:
        """The named retriever, or the only one of the context, or of the project."""
        given, known = exchange.given, self.project.retrievers
        if given.retriever is not None:
            if given.retriever not in known:
                raise self._error(
                    trial, f"unknown retriever: found '{given.retriever}'", _listed(known)
                )
            return given.retriever
        context = given.context
        asked = (
            retrievers_of(self.project, context)
            if context is not None and context in self.project.contexts
            else known
        )
        if len(asked) != 1:
            raise self._error(trial, f"{len(asked)} retrievers may be meant", _listed(asked))
        return next(iter(asked))

    def _corpus(self, trial: Trial, retriever: str) -> Corpus:
        declared = self.project.retrievers[retriever]
        name = str(declared.config.get("corpus") or declared.corpus)
        if name not in self.project.corpora:
            raise self._error(trial, f"retriever '{retriever}' has no declared corpus")
        return Corpus.open(self.project.corpora[name])

    def _error(self, trial: Trial, problem: str, fix: str | None = None) -> LoadError:
        return self.suite.tree.error(problem, trial.place, fix=fix)


def _listed(names: Iterable[str]) -> str:
    return f"Write 'retriever: NAME', one of: {', '.join(sorted(names))}."
