"""The rules of this package and of installed ones, and which of them apply to which files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

from biblicus_context.base.entry_points import entry_points_of
from biblicus_context.base.gitignore import covers
from biblicus_context.errors import PlanError, nearest
from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.lint.rules import shipped_rules

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "biblicus_context.rules"
"""The group of entry points: each is a rule, or a list of them."""
_CODE = re.compile(r"[A-Z]+[0-9]+")


@dataclass(frozen=True)
class RuleBook:
    """Rules by code and name; a value, so that a test or a caller can make another one."""

    rules: tuple[Rule, ...]
    notices: tuple[str, ...] = ()
    """Why a rule of another package was not added."""

    @cached_property
    def by_selector(self) -> Mapping[str, Rule]:
        """Every rule by its code and by its name."""
        return {
            **{rule.code: rule for rule in self.rules},
            **{rule.name: rule for rule in self.rules},
        }

    def with_rules(self, source: str, added: Iterable[object]) -> RuleBook:
        """A copy with the rules of one source; a notice says why one was not added."""
        rules, notices = list(self.rules), list(self.notices)
        taken = set(self.by_selector)
        for rule in added:
            reason = _objection(rule, taken)
            if isinstance(rule, Rule) and reason is None:
                rules.append(rule)
                taken |= {rule.code, rule.name}
            else:
                notices.append(f"{source} adds no rule: {reason}")
        return RuleBook(tuple(sorted(rules, key=lambda rule: rule.code)), tuple(notices))


@cache
def rule_book() -> RuleBook:
    """The rules of the package and of every installed one."""
    book = RuleBook(shipped_rules())
    for point in entry_points_of(GROUP):
        book = book.with_rules(f"the entry point '{point.value}'", _loaded(point))
    return book


def _loaded(point: EntryPoint) -> Iterator[object]:
    try:
        found = point.load()
    except Exception as error:  # importing another package can raise anything
        yield error
        return
    yield from found if isinstance(found, list | tuple) else [found]


def _objection(rule: object, taken: set[str]) -> str | None:
    if isinstance(rule, Exception):
        return f"{type(rule).__name__}: {rule}"
    if not isinstance(rule, Rule):
        return f"it is a {type(rule).__name__}, not a biblicus_context.lint.engine.rule.Rule"
    if not _CODE.fullmatch(rule.code):
        return f"a code is letters and digits such as BC301, found {rule.code!r}"
    repeated = sorted({rule.code, rule.name} & taken)
    return f"{repeated[0]} is taken by another rule" if repeated else None


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

    if TYPE_CHECKING:
        from importlib.metadata import EntryPoint
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
