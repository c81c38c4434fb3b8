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
- **warning**: the plan works, but probably does not do what its author wants.
- **note**: worth knowing; notes alone never fail a run.

A comment suppresses a finding that is intended, with a reason: at the end of the line, in the line
above, or for the whole file:

    description: off  # lint: allow ambiguous-value it is what we call this state
    # lint: allow-file BC141 the file is made by a program

## Settings

Settings are in `biblicus-context.toml`, or under `[tool.biblicus-context]` in `pyproject.toml`. The
nearest file at or above the first path is used. Name a rule by its code, its family (`BC3`) or its name.
Command-line options override the file.

    select = ["BC1", "BC2", "unused-input"]      # only these; default: all
    ignore = ["BC221"]                           # overrides select
    exclude = ["vendor/**"]                      # files that are skipped
    paths = ["contexts", "../shared/contexts"]   # the whole project: names are looked up here
    model = "gpt-4o"                             # count tokens for it instead of the policies' models

    [severity]
    BC6 = "note"                                 # error, warning or note

    [per-file]
    "legacy/*.yaml" = ["BC4"]                    # ignored there

    [known]                                      # names that Python code passes
    retrievers = ["kb_search"]                   # also contexts, policies, corpora,
    counters = ["ours"]                          # compactors
    models-file = "models.json"

Without `paths` the project is the nearest folder named `contexts`. Without such a folder it is all the
given paths, and the files next to a file that is given by name. Only the given files have findings.

Packages add rules by entry points of the group `biblicus_context.rules`: each is a
`biblicus_context.lint.engine.rule.Rule`, or a list of them. [Extending](extending.md#a-rule) shows how.
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
