"""A rule: its code, its manual and its check, together in one file of `rules/`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from biblicus_context.lint.engine.finding import Finding, Remark, Severity

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan

Check: TypeAlias = "Callable[[Plan, Declared], Iterator[Remark]]"
"""What is wrong with one document, knowing what the whole project declares."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One thing that can be wrong; `rules.md` and `biblicus-context rule CODE` print it whole."""

    code: str
    """Stable, such as BC301; the first digit is the family."""
    name: str
    """Reads well behind the word "allow", such as pinned-text-over-budget."""
    severity: Severity
    finds: str
    """One sentence: what it finds."""
    why: str
    """Why that matters."""
    instead: str
    """What to write instead."""
    bad: str
    """Plan files that break the rule; each line it is found in ends with a comment `# <- CODE`.

    Empty where no page could show it, such as a file that is too large.
    """
    good: str
    """The same plan, put right; no rule of any family finds anything in it."""
    check: Check

    def found(self, file: str, remark: Remark) -> Finding:
        """A remark on a file, as a finding of this rule."""
        return Finding(self.code, self.name, self.severity, file, remark)


def by_the_reader(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """The check of a rule whose mistakes keep a document from being read at all."""
    del plan, declared
    yield from ()


def by_the_linter(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """The check of a rule about linting itself, which no single document can answer."""
    del plan, declared
    yield from ()
