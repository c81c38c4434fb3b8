"""The pages about the rules of the linter: docs/rules.md, and one for each family in docs/rules/."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from biblicus_context.lint.engine.manual import printable
from biblicus_context.lint.engine.rule import Rule, checked_by_linter, checked_by_reader
from biblicus_context.lint.rules import FAMILIES, RuleFamily, shipped_rules

_INTRODUCTION = """\
# Rules

The rules that `biblicus-context lint` applies. `biblicus-context rule CODE` prints the manual of one.
The rules are listed by family below; each family has a page with the manuals of its rules.

- **error**: the engine refuses the plan, or the plan can never work.
- **warning**: the plan works, and most likely does something else than its author wants.
- **note**: worth knowing; a note alone never fails a run.

What is meant as it is can be allowed, with a reason, at the end of a line, in the line above, or for a
whole file:

    description: off  # lint: allow ambiguous-value it is what we call this state
    # lint: allow-file BC141 the file is made by a program

## Settings

They stand in `biblicus-context.toml`, or under `[tool.biblicus-context]` in `pyproject.toml`; the
nearest file at or above the first path holds. A rule is named by its code, its family (`BC3`) or its
name. Options of the command go before.

    select = ["BC1", "BC2", "unused-input"]      # only these; all when absent
    ignore = ["BC221"]                           # goes before select
    exclude = ["vendor/**"]                      # files that are not looked at
    paths = ["contexts", "../shared/contexts"]   # the whole project: names are looked up here
    model = "gpt-4o"                             # count for it instead of the policies' own

    [severity]
    BC6 = "note"                                 # error, warning or note

    [per-file]
    "legacy/*.yaml" = ["BC4"]                    # ignored there

    [known]                                      # what Python hands in
    retrievers = ["kb_search"]                   # and contexts, policies, corpora,
    counters = ["ours"]                          # compactors
    models-file = "models.json"

Without `paths` a project is the nearest folder called `contexts`, or else all the paths given, and the
files beside a file that is given alone. Findings are told of the given files only.

Packages add rules by entry points of the group `biblicus_context.rules`: each is a
`biblicus_context.lint.engine.rule.Rule`, or a list of them.
"""
_FENCE = "```"


def pages() -> Mapping[str, str]:
    """The Markdown pages by their path in docs/: an index, and a page for each family."""
    families = {family: _members(family) for family in FAMILIES}
    index = [_INTRODUCTION, *(line for each in families.items() for line in _overview(*each))]
    return {
        "rules.md": "\n".join(index),
        **{_page(family): "\n".join(_manuals(family, of)) for family, of in families.items()},
    }


def links() -> Mapping[str, str]:
    """The link from docs/ to the manual of each rule, by the name of the rule."""
    return {
        rule.name: f"{_page(family)}#{_anchor(rule)}"
        for family in FAMILIES
        for rule in _members(family)
    }


def _members(family: RuleFamily) -> list[Rule]:
    return [rule for rule in shipped_rules() if rule.code.startswith(family.prefix)]


def _overview(family: RuleFamily, rules: Sequence[Rule]) -> Iterator[str]:
    yield f"## {family.prefix}: {family.title}\n\n{family.summary}\n"
    yield "| code | name | severity | finds |"
    yield "|---|---|---|---|"
    for rule in rules:
        link = f"[{rule.code}]({_page(family)}#{_anchor(rule)})"
        yield f"| {link} | {rule.name} | {rule.severity} | {rule.finds.replace('|', chr(92) + '|')} |"
    yield ""


def _manuals(family: RuleFamily, rules: Sequence[Rule]) -> Iterator[str]:
    yield f"# {family.prefix}: {family.title}\n\n{family.summary}\n"
    yield "[All rules](../rules.md), and how to select, ignore and suppress them.\n"
    for rule in rules:
        yield f"## {rule.code} {rule.name}\n"
        yield f"{_kind(rule)}\n\n{rule.finds}\n\n{rule.why}\n\n{rule.instead}\n"
        if rule.bad:
            yield f"Found here:\n\n{_example(rule.bad)}\nPut right:\n\n{_example(rule.good)}"


def _kind(rule: Rule) -> str:
    said = f"*{rule.severity}*"
    if rule.check is checked_by_reader:
        return f"{said}; the engine does not load such a file."
    return f"{said}; about the linter's own work." if rule.check is checked_by_linter else f"{said}"


def _example(text: str) -> str:
    # Without a word behind the fence: most of these examples are wrong on purpose.
    return f"{_FENCE}\n{printable(text)}{_FENCE}\n"


def _anchor(rule: Rule) -> str:
    return f"{rule.code} {rule.name}".lower().replace(" ", "-")


def _page(family: RuleFamily) -> str:
    return f"rules/{family.folder}.md"
