"""What is left to tell of a file, once its comments have allowed what they allow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from biblicus_context.errors import nearest
from biblicus_context.lint.engine.finding import Edit, Finding, Remark
from biblicus_context.lint.engine.rule_book import RuleBook
from biblicus_context.lint.engine.selection import Selection
from biblicus_context.lint.engine.suppressions import Allowance
from biblicus_context.lint.engine.survey import Survey
from biblicus_context.lint.rules.linter.bc001_unused_suppression import RULE as UNUSED
from biblicus_context.lint.rules.linter.bc002_invalid_suppression import RULE as UNCLEAR
from biblicus_context.lint.rules.linter.bc003_suppression_without_reason import RULE as UNEXPLAINED

_FORM = "Write '# lint: allow CODE reason', or '# lint: allow-file CODE reason'."


def settled(
    survey: Survey,
    findings: Iterable[Finding],
    selection: Selection,
    book: RuleBook,
    *,
    is_whole: bool = True,
) -> list[Finding]:
    """The findings of a file that are told, those about its comments included.

    Where rules were not held against the whole file, a comment may only seem to be of no use.
    """
    told = selection.told(findings, survey.file)
    if not survey.allowances:
        return told
    comments = _Comments(survey.allowances, book)
    left = [each for each in told if not comments.allow(each)]
    about = [UNCLEAR.found(survey.file, remark) for remark in comments.unclear()]
    about += [UNEXPLAINED.found(survey.file, remark) for remark in comments.unexplained()]
    if is_whole:
        applied = [rule.code for rule in selection.rules if selection.is_on(rule, survey.file)]
        about += [UNUSED.found(survey.file, remark) for remark in comments.unused(applied)]
    return left + selection.told(about, survey.file)


@dataclass
class _Comments:
    """The comments of a file, and which of them were of use."""

    allowances: Sequence[Allowance]
    book: RuleBook
    used: set[tuple[Allowance, str]] = field(default_factory=set)

    def allow(self, finding: Finding) -> bool:
        """Whether a finding is allowed; every comment that does so counts as used."""
        line = finding.remark.place.line
        allowing = {
            (allowance, selector)
            for allowance, selector in product(self.allowances, (finding.code, finding.name))
            if selector in allowance.selectors and allowance.covers(line)
        }
        self.used |= allowing
        return bool(allowing)

    def unclear(self) -> Iterator[Remark]:
        for allowance in self.allowances:
            if not allowance.selectors:
                yield Remark(allowance.place, "invalid suppression comment", advice=_FORM)
            for selector in allowance.selectors:
                if selector not in self.book.by_selector:
                    yield _unknown(allowance, selector, self.book)

    def unexplained(self) -> Iterator[Remark]:
        for allowance in self.allowances:
            if allowance.selectors and not allowance.reason:
                problem = f"the suppression of {', '.join(allowance.selectors)} has no reason"
                yield Remark(allowance.place, problem, advice="Write the reason after the code.")

    def unused(self, applied: Sequence[str]) -> Iterator[Remark]:
        for allowance in self.allowances:
            idle = [each for each in allowance.selectors if self._is_idle(allowance, each, applied)]
            if idle:
                where = " in this file" if allowance.lines is None else ""
                yield Remark(
                    allowance.place,
                    f"unused suppression{where}: {', '.join(idle)}",
                    advice="Remove the code, or the whole comment if it names no other.",
                    edits=_removal(allowance) if len(idle) == len(allowance.selectors) else (),
                )

    def _is_idle(self, allowance: Allowance, selector: str, applied: Sequence[str]) -> bool:
        rule = self.book.by_selector.get(selector)
        return rule is not None and rule.code in applied and (allowance, selector) not in self.used


def _unknown(allowance: Allowance, selector: str, book: RuleBook) -> Remark:
    guess = nearest(selector, book.by_selector)
    hint = f"Did you mean {guess!r}? " if guess else ""
    return Remark(
        allowance.place,
        "unknown rule",
        found=selector,
        advice=f"{hint}See 'biblicus-context rules'.",
    )


def _removal(allowance: Allowance) -> tuple[Edit, ...]:
    start, end = allowance.stretch
    return (Edit(start, end, ""),) if end > start else ()
