"""The rules that come with the package: a module of checks and a page of manuals for each family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final

from biblicus_context.lint.engine.manual import ManualPage, page_of
from biblicus_context.lint.engine.rule import Rule, rules_in


@dataclass(frozen=True, slots=True)
class RuleFamily:
    """Rules whose codes begin alike, such as with BC3."""

    prefix: str
    name: str
    """The module of the checks, and the page of the manuals."""

    @property
    def rules(self) -> Sequence[Rule]:
        """Its rules, by code."""
        return sorted(rules_in(import_module(self._module)), key=lambda rule: rule.code)

    @property
    def page(self) -> ManualPage:
        """Its manuals."""
        return page_of(self._module)

    @property
    def _module(self) -> str:
        return f"{__name__}.{self.name}"


FAMILIES: Final = (
    RuleFamily("BC0", "linter"),
    RuleFamily("BC1", "files"),
    RuleFamily("BC2", "names"),
    RuleFamily("BC3", "budgets"),
    RuleFamily("BC4", "templates"),
    RuleFamily("BC5", "messages"),
    RuleFamily("BC6", "caching"),
    RuleFamily("BC7", "safety"),
)


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """Every rule of the package, by code."""
    return tuple(rule for family in FAMILIES for rule in family.rules)


def by_family(rules: Sequence[Rule]) -> Iterator[tuple[str, Sequence[Rule]]]:
    """The rules of each family under its title, then those of other packages."""
    for family in FAMILIES:
        members = [rule for rule in rules if rule.code.startswith(family.prefix)]
        yield f"{family.page.title.replace(':', '')}: {family.page.summary}", members
    prefixes = tuple(family.prefix for family in FAMILIES)
    others = [rule for rule in rules if not rule.code.startswith(prefixes)]
    if others:
        yield "Rules of installed packages:", others
