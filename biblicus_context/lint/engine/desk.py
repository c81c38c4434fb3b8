"""A desk: it reads some of a project's files, keeps them, and later holds the rules against them."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from biblicus_context.lint.engine.checking import check
from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.engine.settings import Settings
from biblicus_context.lint.engine.survey import Survey, survey
from biblicus_context.lint.facts.project.declarations import Entry
from biblicus_context.lint.facts.project.python_names import declared_by


@dataclass(frozen=True, slots=True)
class Task:
    """What there is to check in one project, once all of it has been read."""

    files: frozenset[str]
    entries: Sequence[Entry]
    endless: frozenset[str]
    """Contexts that are left out, as their inserts lead into a circle."""
    settings: Settings
    rules: Sequence[Rule]
    is_whole: bool
    """Whether every file of the project could be read, and no name leads into a circle."""


@dataclass(slots=True)
class Desk:
    """One worker's files."""

    surveys: Sequence[Survey] = ()

    def survey(self, files: Sequence[Path]) -> Sequence[Survey]:
        """Read files."""
        self.surveys = [survey(file) for file in files]
        return self.surveys

    def check(self, task: Task) -> list[Finding]:
        """What the rules find in those of a project's files that were read here."""
        declared = declared_by(task.entries, task.settings, is_whole=task.is_whole)
        plans = (
            plan
            for each in self.surveys
            if each.file in task.files
            for plan in each.plans
            if plan.kind != "context" or plan.declaration.name not in task.endless
        )
        return check(plans, declared, task.rules)


def travelling(surveyed: Survey) -> Survey:
    """A survey fit for a pipe: declarations are packed until a rule asks for one."""
    entries = [
        Entry(entry.outline, partial(pickle.loads, pickle.dumps(entry.declaration)))
        for entry in surveyed.entries
    ]
    return replace(surveyed, entries=entries, plans=())
