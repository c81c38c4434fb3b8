"""A rule: its code, its manual and its check, together in one file of `lint/rules`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.finding import Finding, Severity, Violation
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Place

Check: TypeAlias = "Callable[[Plan, Declarations], Iterator[Violation]]"
"""Yields what is wrong with one document, given everything the project declares."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One thing that can be wrong; `biblicus-context rule CODE` prints its manual."""

    code: str
    """Stable, such as BC301; the first digit is the family."""
    name: str
    """Reads well after the word "allow", such as pinned-text-over-budget."""
    severity: Severity
    finds: str
    """One sentence: what it finds."""
    why: str
    """Why that matters."""
    instead: str
    """What to write instead."""
    bad: str
    """Plan files that break the rule; each line with a finding ends with a comment `# <- CODE`.

    Empty where a page cannot show it, such as a file that is too large.
    """
    good: str
    """The same plan, corrected; no rule of any family finds anything in it."""
    check: Check
    depends_on: frozenset[str] | None = None
    """For documents with errors, too: the keys without which its findings may be wrong; None: all."""

    def applies_to(self, plan: Plan) -> bool:
        """Whether its findings are true of what could be read of a document."""
        lost = plan.document.lost
        if not lost:  # valid, or what it means is known
            return True
        return self.depends_on is not None and self.depends_on.isdisjoint(lost)

    def finding(self, file: str, violation: Violation) -> Finding:
        """The finding for a violation of this rule in a file."""
        return Finding(
            violation.place,
            violation.problem,
            violation.found,
            violation.valid,
            violation.advice,
            violation.edits,
            violation.text_file,
            violation.anchor,
            code=self.code,
            name=self.name,
            severity=self.severity,
            file=violation.text_file or file,
        )

    def finding_of(self, error: LoadError) -> Finding:
        """The finding for an error of the reader; an error of a whole file is in its first line."""
        is_text = isinstance(error.found, str)
        problem = error.problem
        if error.found is not None and not is_text:
            problem = f"{problem}: found {error.found!r}"
        violation = Violation(
            Place(error.line or 1, error.column or 1),
            problem,
            str(error.found) if is_text else None,
            error.valid,
            error.fix,
        )
        return self.finding(error.file, violation)


def checked_by_reader(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """The check of a rule whose findings are errors of the reader: `Rule.finding_of`."""
    del plan, declared
    yield from ()


def checked_by_linter(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """The check of a rule about linting itself, whose findings the linter makes."""
    del plan, declared
    yield from ()
