"""One trial is run: its assembler, and its calls one after the other, until an expectation does not hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.errors import BudgetError, ContextError, LoadError
from biblicus_context.golden.checks import CHECKS, check_error, no_error
from biblicus_context.golden.checks.call_result import CallResult, Mismatch
from biblicus_context.golden.report import (
    Trouble,
    UnmetExpectation,
    Verdict,
    troubles_of,
)
from biblicus_context.golden.running.call_arguments import ArgumentReader, CallArguments
from biblicus_context.golden.running.recall import RecallReader, is_about_recall
from biblicus_context.golden.snapshots.snapshot import key_of, snapshot_of
from biblicus_context.golden.snapshots.text_difference import difference
from biblicus_context.golden.suite.trials import Exchange, Trial
from biblicus_context.reading.project import Project
from biblicus_context.spec.contexts_test import CaseSpec
from biblicus_context.spec.expectation import Expectation
from biblicus_context.spec.retriever import RetrieverDeclaration
from biblicus_context.text.compactors import CompactionRequest


@dataclass(slots=True)
class TrialAssembler:
    """One assembler for all calls of a trial, as an application uses one for a conversation."""

    assembler: ContextAssembler
    _given: list[CaseSpec]

    def turn_to(self, given: CaseSpec) -> ContextAssembler:
        """The assembler, with substitutes that return what this call declares."""
        self._given[:] = [given]
        return self.assembler


def stage_for(project: Project, trial: Trial) -> TrialAssembler:
    """A new assembler, so that nothing is remembered from another trial."""
    calls = [exchange.given for exchange in trial.exchanges]
    current = calls[:1]
    asked = {name for call in calls for name in call.packs or ()}
    compactors = {name for call in calls for name in call.compactors or ()}
    undeclared = asked - project.retrievers.keys() - project.contexts.keys()
    summarizes = any(call.summarizer is not None for call in calls)
    assembler = ContextAssembler(
        project.contexts,
        {**project.retrievers, **{name: RetrieverDeclaration(name=name) for name in undeclared}},
        project.corpora,
        {**project.compactors, **{name: _compactor(current, name) for name in compactors}},
        policy_registry=project.policies,
        format_registry=project.formats,
        summarizer=_summarizer(current) if summarizes else None,
    )
    return TrialAssembler(assembler, current)


def _summarizer(current: list[CaseSpec]) -> Callable[[CompactionRequest], str]:
    return lambda request: current[0].summarizer or ""


def _compactor(current: list[CaseSpec], name: str) -> Callable[[CompactionRequest], str]:
    return lambda request: (current[0].compactors or {}).get(name, "")


class JudgedCall(NamedTuple):
    """The result of one call, and the expectations that do not hold."""

    problems: tuple[Mismatch, ...]
    result: ContextAssemblyResult | None = None
    receipt: Receipt | None = None


def judged(
    handed: CallArguments,
    expect: Expectation,
    assembler: ContextAssembler,
    before: ContextAssemblyResult | None,
) -> JudgedCall:
    """Assemble one call and check it; `before` is the result of the previous call."""
    try:
        result = assembler.assemble(
            handed.context,
            history_messages=handed.history,
            retriever_override=handed.retrievers,
            **handed.arguments,
        )
    except ContextError as error:
        receipt = error.receipt if isinstance(error, BudgetError) else None
        return JudgedCall(tuple(check_error(expect, error)), receipt=receipt)
    problems = tuple(_problems(expect, CallResult(result, len(handed.history), before)))
    return JudgedCall(problems, result, result.receipt)


def _problems(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    if expect.error is not None:
        yield from no_error(expect, seen.result)
        return
    for check in CHECKS:
        yield from check(expect, seen)


@dataclass(frozen=True)
class Player:
    """Runs the trials of one suite."""

    handing: ArgumentReader
    stored: Mapping[str, str]
    """Snapshot sections, by the line that names them."""
    update: bool = False

    @cached_property
    def recall(self) -> RecallReader:
        """What measures the questions of cases."""
        return RecallReader(self.handing.suite, self.handing.project)

    def play(self, trial: Trial) -> Verdict:
        """Run one trial; whatever it raises becomes part of its verdict, so that the others run too."""
        verdict = Verdict(trial.name, *trial.place, status="passed")
        if trial.skip is not None:
            return replace(verdict, status="skipped", reason=trial.skip)
        began = time.perf_counter()
        try:
            verdict = self._played(trial, verdict)
        except LoadError as error:
            verdict = replace(verdict, status="error", troubles=troubles_of(error))
        except Exception as error:
            trouble = self._trouble(trial, f"it raised {type(error).__name__}: {error}")
            verdict = replace(verdict, status="error", troubles=(trouble,))
        return replace(verdict, seconds=time.perf_counter() - began)

    def _played(self, trial: Trial, verdict: Verdict) -> Verdict:
        if is_about_recall(trial):
            return self._recalled(trial, verdict)
        stage = stage_for(self.handing.project, trial)
        before: ContextAssemblyResult | None = None
        snapshots: dict[str, str] = {}
        for number, exchange in enumerate(trial.exchanges):
            call = self._judged(trial, exchange, stage, before)
            before = call.result
            problems = list(call.problems)
            if before is not None and exchange.wanted.expect.snapshot:
                name = snapshot_name(trial, number)
                whole = exchange.wanted.expect.snapshot == "receipt"
                snapshots[key_of(name)] = snapshot_of(before, name, with_receipt=whole)
                problems += self._compared(key_of(name), snapshots[key_of(name)])
            if problems:
                turn = number + 1 if len(trial.exchanges) > 1 else None
                failures = [self._failure(trial, exchange, each, turn) for each in problems]
                verdict = replace(
                    verdict,
                    status="failed",
                    failures=tuple(sorted(failures, key=attrgetter("line", "column"))),
                    receipt=call.receipt,
                )
                break
        return replace(verdict, snapshots=snapshots)

    def _recalled(self, trial: Trial, verdict: Verdict) -> Verdict:
        first = trial.exchanges[0]
        found = self.recall.problems(trial)
        failures = tuple(self._failure(trial, first, each, None) for each in found)
        return replace(verdict, status="failed", failures=failures) if failures else verdict

    def _judged(
        self,
        trial: Trial,
        exchange: Exchange,
        stage: TrialAssembler,
        before: ContextAssemblyResult | None,
    ) -> JudgedCall:
        handed = self.handing.handed(exchange, trial.path)
        assembler = stage.turn_to(exchange.given)
        call = judged(handed, exchange.wanted.expect, assembler, before)
        if handed.retrievers.unknown:
            raise self._unrecorded(trial, sorted(handed.retrievers.unknown))
        return call

    def _compared(self, key: str, section: str) -> Iterator[Mismatch]:
        if self.update or self.stored.get(key) == section:
            return
        command = f"biblicus-context test {self.handing.suite.file} --update"
        if key not in self.stored:
            expected = f"a snapshot; write it with: {command}"
            yield Mismatch(("snapshot",), "the snapshot is missing", expected)
        else:
            expected = f"no difference; update it with: {command}"
            diff = difference(self.stored[key], section)
            yield Mismatch(
                ("snapshot",), "the result differs from the snapshot", expected, diff=diff
            )

    def _failure(
        self, trial: Trial, exchange: Exchange, problem: Mismatch, turn: int | None
    ) -> UnmetExpectation:
        path, problem_text, expected, found, diff = problem
        is_written = path[0] in exchange.wanted.paths
        tree = self.handing.suite.tree
        line, column = tree.key_place(exchange.wanted.place(path)) if is_written else trial.place
        label = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
        return UnmetExpectation(
            line, column, f"expect{label}", problem_text, expected, found, diff, turn
        )

    def _unrecorded(self, trial: Trial, names: list[str]) -> LoadError:
        listed = ", ".join(f"'{name}'" for name in names)
        return self.handing.suite.tree.error(
            f"the context queries {listed}, but no answer is recorded",
            trial.place,
            fix=f"Record one: 'packs: {{{names[0]}: [first text, second text]}}'.",
        )

    def _trouble(self, trial: Trial, said: str) -> Trouble:
        file, (line, column) = str(self.handing.suite.file), trial.place
        return Trouble(file, line, column, f"{file}:{line}:{column}: {said}")


def snapshot_name(trial: Trial, number: int) -> str:
    """The name of the snapshot of one call of a trial."""
    return trial.name if len(trial.exchanges) == 1 else f"{trial.name}, turn {number + 1}"
