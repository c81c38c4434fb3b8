"""A rule: its code, its name, and the function that checks one document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

from biblicus_context.lint.engine.finding import Finding, Severity, Violation, Violations
from biblicus_context.lint.engine.manual import RuleManual, page_of
from biblicus_context.reading.yaml.tree import Place

if TYPE_CHECKING:
    from biblicus_context.errors import LoadError
    from biblicus_context.lint.facts.project.declarations import Declarations
    from biblicus_context.lint.facts.project.plan import Plan

Check: TypeAlias = "Callable[[Plan, Declarations], Violations]"
"""Yields what is wrong with one document, given everything the project declares."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that can be wrong; `biblicus-context rule CODE` prints its manual."""

    code: str
    """Stable, such as BC301; the first digit is the family."""
    name: str
    """Reads well after the word "allow", such as pinned-text-over-budget."""
    severity: Severity
    module: str
    """The module that declares it; its manual is on the Markdown page next to that."""
    check: Check | None = None
    """None: the findings are errors of the reader, or about linting itself."""
    depends_on: frozenset[str] | None = None
    """For documents with errors, too: the keys without which its findings may be wrong; None: all."""

    @property
    def manual(self) -> RuleManual:
        """What the rule finds, why that matters, and what to write instead."""
        missing = RuleManual(f"{self.code} {self.name}", self.severity, "This rule has no manual.")
        return page_of(self.module).manuals.get(self.code, missing)

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
            severity=violation.severity or self.severity,
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


def rule(
    code: str, name: str, severity: Severity, *, depends_on: Iterable[str] | None = None
) -> Callable[[Check], Rule]:
    """Make a rule of a function that checks one document."""

    def declare(check: Check) -> Rule:
        keys = None if depends_on is None else frozenset(depends_on)
        return Rule(code, name, severity, check.__module__, check, keys)

    return declare


def rules_of_reader(module: str, names: Mapping[str, str]) -> tuple[Rule, ...]:
    """The rules of a module whose findings are errors of the reader, from their codes and names."""
    return tuple(Rule(code, name, Severity.ERROR, module) for code, name in names.items())


def rules_in(module: ModuleType) -> Iterator[Rule]:
    """Every rule that a module declares, alone or in a tuple."""
    for value in vars(module).values():
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, Rule) and each.module == module.__name__:
                yield each
