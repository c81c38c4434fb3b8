"""The rules that come with the package: one file each, in the folder of its family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from biblicus_context.lint.engine.rule import Rule


@dataclass(frozen=True, slots=True)
class RuleFamily:
    """Rules whose codes share their first digit, and whose files share a folder."""

    digit: str
    folder: str
    """The folder in `lint/rules`, and the page in `docs/rules`."""
    title: str
    summary: str

    @property
    def prefix(self) -> str:
        """What the codes of the family begin with, such as BC3."""
        return f"BC{self.digit}"


FAMILIES: Final = (
    RuleFamily("0", "linter", "Linter", "Comments that suppress findings, and rules that fail."),
    RuleFamily(
        "1", "files", "Files", "Keys, values and YAML: what is refused, and what is misread."
    ),
    RuleFamily("2", "names", "Names", "What is declared, and what is used."),
    RuleFamily("3", "budgets", "Budgets", "Token limits, and settings that never take effect."),
    RuleFamily("4", "templates", "Templates", "Placeholders, Jinja2 and inputs."),
    RuleFamily("5", "messages", "Messages", "The order of messages, and messages without effect."),
    RuleFamily("6", "caching", "Caching", "What a provider can reuse from one call to the next."),
    RuleFamily("7", "safety", "Safety", "Untrusted text, secrets and paths."),
)
"""Every family: a rule file belongs into the folder of the first digit of its code."""


@cache
def shipped_rules() -> tuple[Rule, ...]:
    """Every rule of the package, by code."""
    rules = (import_module(name).RULE for family in FAMILIES for name in _modules(family))
    return tuple(sorted(rules, key=lambda rule: rule.code))


def by_family(rules: Sequence[Rule]) -> Iterator[tuple[str, Sequence[Rule]]]:
    """The rules of each family under its title, then those of other packages."""
    for family in FAMILIES:
        members = [rule for rule in rules if rule.code.startswith(family.prefix)]
        yield f"{family.prefix} {family.title}: {family.summary}", members
    prefixes = tuple(family.prefix for family in FAMILIES)
    others = [rule for rule in rules if not rule.code.startswith(prefixes)]
    if others:
        yield "Rules of installed packages:", others


def _modules(family: RuleFamily) -> Iterator[str]:
    package = import_module(f"{__name__}.{family.folder}")
    for module in iter_modules(package.__path__):
        if module.name.startswith("bc"):
            yield f"{package.__name__}.{module.name}"
