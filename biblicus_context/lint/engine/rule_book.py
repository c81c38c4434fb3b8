"""The rules of this package, and those that installed packages add."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.rules import shipped_rules

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
    for point in _points():
        book = book.with_rules(f"the entry point '{point.value}'", _loaded(point))
    return book


def _points() -> Sequence[EntryPoint]:
    return sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))


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
