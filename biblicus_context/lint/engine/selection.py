"""Which rules apply to which files, and the severity of their findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from biblicus_context.base.gitignore import covers
from biblicus_context.errors import PlanError, nearest
from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.engine.settings import LintSettings


@dataclass(frozen=True)
class RuleSelection:
    """The selected rules, and the settings for their findings."""

    rules: tuple[Rule, ...]
    settings: LintSettings

    def applies(self, rule: Rule, file: str) -> bool:
        """Whether findings of a selected rule are reported in a file."""
        return not any(
            means(selector, rule)
            for pattern, selectors in self.settings.per_file.items()
            if covers(pattern, file, self.settings.folder)
            for selector in selectors
        )

    def reported(self, findings: Iterable[Finding], file: str) -> list[Finding]:
        """The findings of a file that are reported, with the severity from the settings."""
        return [
            self._with_severity(each, rule)
            for each in findings
            if (rule := self._by_code.get(each.code)) and self.applies(rule, file)
        ]

    @cached_property
    def _by_code(self) -> Mapping[str, Rule]:
        return {rule.code: rule for rule in self.rules}

    def _with_severity(self, finding: Finding, rule: Rule) -> Finding:
        severity = finding.severity
        for selector, configured in self.settings.severity.items():
            if means(selector, rule):
                severity = configured
        return finding if severity is finding.severity else replace(finding, severity=severity)


def select_rules(rules: Sequence[Rule], settings: LintSettings) -> RuleSelection:
    """Select rules by the settings; raises PlanError for a selector that matches no rule."""
    per_file = [selector for selectors in settings.per_file.values() for selector in selectors]
    for selector in (*settings.select, *settings.ignore, *settings.severity, *per_file):
        if not any(means(selector, rule) for rule in rules):
            raise _unknown(selector, rules, settings)
    selected = [rule for rule in rules if not settings.select or _any(settings.select, rule)]
    kept = tuple(rule for rule in selected if not _any(settings.ignore, rule))
    return RuleSelection(kept, settings)


def means(selector: str, rule: Rule) -> bool:
    """Whether a selector (a code, the beginning of codes, or a name) matches a rule.

    >>> from biblicus_context.lint.rules import shipped_rules
    >>> [rule.code for rule in shipped_rules() if means("unknown-key", rule)]
    ['BC101']
    """
    return selector == rule.name or (selector.isupper() and rule.code.startswith(selector))


def _any(selectors: Iterable[str], rule: Rule) -> bool:
    return any(means(selector, rule) for selector in selectors)


def _unknown(selector: str, rules: Sequence[Rule], settings: LintSettings) -> PlanError:
    known = [each for rule in rules for each in (rule.code, rule.name)]
    guess = nearest(selector, known)
    return PlanError(
        "no rule has this code, family or name",
        place=settings.source,
        found=selector,
        fix=f"{f'Did you mean {guess!r}? ' if guess else ''}See 'biblicus-context rules'.",
    )
