"""Findings without those that comments suppress, and findings about the comments themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from biblicus_context.errors import nearest
from biblicus_context.lint.engine.finding import Edit, Finding, Violation
from biblicus_context.lint.engine.linted_file import LintedFile
from biblicus_context.lint.engine.rule_book import RuleBook
from biblicus_context.lint.engine.selection import RuleSelection
from biblicus_context.lint.engine.suppressions import Suppression
from biblicus_context.lint.rules.linter import (
    INVALID_SUPPRESSION,
    SUPPRESSION_WITHOUT_REASON,
    UNUSED_SUPPRESSION,
)

_SYNTAX = "Write '# lint: allow CODE reason', or '# lint: allow-file CODE reason'."


def apply_suppressions(
    file: LintedFile,
    findings: Iterable[Finding],
    selection: RuleSelection,
    book: RuleBook,
    *,
    is_complete: bool,
) -> list[Finding]:
    """The findings of a file that are reported, those about its comments included.

    Unless every rule was run on the whole file (`is_complete`), no comment is reported as unused.
    """
    reported = selection.reported(findings, file.file)
    if not file.suppressions:
        return reported
    comments = _Comments(file.suppressions, book)
    left = [each for each in reported if not comments.suppress(each)]
    about = [INVALID_SUPPRESSION.finding(file.file, each) for each in comments.invalid()]
    about += [
        SUPPRESSION_WITHOUT_REASON.finding(file.file, each) for each in comments.without_reason()
    ]
    if is_complete:
        applied = {rule.code for rule in selection.rules if selection.applies(rule, file.file)}
        about += [UNUSED_SUPPRESSION.finding(file.file, each) for each in comments.unused(applied)]
    # Findings about comments cannot be suppressed by comments, only by the settings.
    return left + selection.reported(about, file.file)


@dataclass
class _Comments:
    """The suppressions of a file, and which of them were used."""

    suppressions: Sequence[Suppression]
    book: RuleBook
    used: set[tuple[Suppression, str]] = field(default_factory=set)

    @cached_property
    def _by_selector(self) -> Mapping[str, Sequence[Suppression]]:
        found: dict[str, list[Suppression]] = defaultdict(list)
        for suppression in self.suppressions:
            for selector in dict.fromkeys(suppression.selectors):
                found[selector].append(suppression)
        return found

    def suppress(self, finding: Finding) -> bool:
        """Whether a finding is suppressed; every comment that covers it counts as used."""
        matching = {
            (suppression, selector)
            for selector in (finding.code, finding.name)
            for suppression in self._by_selector.get(selector, ())
            if suppression.covers((finding.anchor or finding.place).line)
        }
        self.used |= matching
        return bool(matching)

    def invalid(self) -> Iterator[Violation]:
        for suppression in self.suppressions:
            if not suppression.selectors:
                yield Violation(suppression.place, "invalid suppression comment", advice=_SYNTAX)
            for selector in suppression.selectors:
                if selector not in self.book.by_selector:
                    yield _unknown(suppression, selector, self.book)

    def without_reason(self) -> Iterator[Violation]:
        for suppression in self.suppressions:
            if suppression.selectors and not suppression.reason:
                problem = f"the suppression of {', '.join(suppression.selectors)} has no reason"
                yield Violation(
                    suppression.place, problem, advice="Write the reason after the code."
                )

    def unused(self, applied: Collection[str]) -> Iterator[Violation]:
        for suppression in self.suppressions:
            unused = [
                each
                for each in suppression.selectors
                if self._is_unused(suppression, each, applied)
            ]
            if unused:
                where = " in this file" if suppression.lines is None else ""
                is_all = len(unused) == len(suppression.selectors)
                yield Violation(
                    suppression.place,
                    f"unused suppression{where}: {', '.join(unused)}",
                    advice="Remove the code, or the whole comment if it names no other.",
                    edits=_removal(suppression) if is_all else (),
                )

    def _is_unused(self, suppression: Suppression, selector: str, applied: Collection[str]) -> bool:
        rule = self.book.by_selector.get(selector)
        if rule is None or rule.code not in applied:
            return False
        return (suppression, selector) not in self.used


def _unknown(suppression: Suppression, selector: str, book: RuleBook) -> Violation:
    guess = nearest(selector, book.by_selector)
    hint = f"Did you mean {guess!r}? " if guess else ""
    return Violation(
        suppression.place,
        "unknown rule",
        found=selector,
        advice=f"{hint}See 'biblicus-context rules'.",
    )


def _removal(suppression: Suppression) -> tuple[Edit, ...]:
    start, end = suppression.span
    return (Edit(start, end, ""),) if end > start else ()
