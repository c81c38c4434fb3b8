"""The tables of docs/rules.md; the manuals of a family are a page of the package, which docs/rules links to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.rules import FAMILIES, RuleFamily

_BEGIN: Final = "<!-- rules: made by `python docs/generate.py` -->"
_END: Final = "<!-- end of rules -->"


def index(page: str) -> str:
    """The page with its tables of rules written again."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    tables = "\n".join(line for family in FAMILIES for line in _table(family))
    return f"{before}{_BEGIN}\n\n{tables}\n{_END}{after}"


def links() -> Mapping[str, str]:
    """The link from docs/ to the manual of each rule, by the name of the rule."""
    return {rule.name: _link(family, rule) for family in FAMILIES for rule in family.rules}


def _table(family: RuleFamily) -> Iterator[str]:
    yield f"## {family.page.title}\n\n{family.page.summary}\n"
    yield "| code | name | severity | finds |"
    yield "|---|---|---|---|"
    for rule in family.rules:
        finds = rule.manual.finds.replace("|", "\\|")
        yield f"| [{rule.code}]({_link(family, rule)}) | {rule.name} | {rule.severity} | {finds} |"
    yield ""


def _link(family: RuleFamily, rule: Rule) -> str:
    return f"rules/{family.name}.md#{rule.manual.heading.lower().replace(' ', '-')}"
