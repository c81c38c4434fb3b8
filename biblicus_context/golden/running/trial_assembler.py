"""The assembler of a trial: the plans under test, and substitutes for what Python would pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.golden.suite.trials import Trial
from biblicus_context.reading.project import Project
from biblicus_context.spec.contexts_test import CaseSpec
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
