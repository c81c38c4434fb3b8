"""The manuals of rules: for a terminal, and all of them as the page docs/rules.md."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from biblicus_context.lint.engine.rule import Rule, by_the_linter, by_the_reader

FAMILIES = {
    "0": ("Linting itself", "Comments that allow something, and rules that fail."),
    "1": ("Shape", "How a file is written: what the engine refuses, and what it reads otherwise."),
    "2": ("Names", "What is declared, and what is used."),
    "3": ("Budgets", "Tokens: who may have how many, and what can never be reached."),
    "4": ("Templates", "Placeholders, Jinja2 and inputs."),
    "5": ("Placement", "The order of messages."),
    "6": ("Caching", "What providers can remember from call to call."),
    "7": ("Safety", "Text of strangers, secrets and paths."),
}
"""A title and a sentence for each first digit of a code."""

_INTRODUCTION = """\
# Rules

The rules that `biblicus-context lint` applies. `biblicus-context rule CODE` prints the manual of one.
This page is generated from the rules themselves.

- **error**: the engine refuses the plan, or the plan can never work.
- **warning**: the plan works, and most likely does something else than its author wants.
- **note**: worth knowing; a note alone never fails a run.

What is meant as it is can be allowed, with a reason, at the end of a line, in the line above, or for a
whole file:

    description: off  # lint: allow ambiguous-word it is what we call this state
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

## All rules
"""
_FENCE = "```"
_MARGIN = "    "


def manual(rule: Rule, width: int = 80) -> str:
    """The manual of one rule, for a terminal."""
    parts = [
        f"{rule.code} {rule.name} ({rule.severity})",
        *(_wrapped(text, width) for text in (rule.finds, rule.why)),
    ]
    if rule.bad:
        parts += ["Instead of:", textwrap.indent(shown(rule.bad), _MARGIN)]
    parts.append(_wrapped(rule.instead, width))
    if rule.bad:
        parts.append(textwrap.indent(shown(rule.good), _MARGIN))
    return "\n\n".join(part.rstrip("\n") for part in parts)


def page(rules: Sequence[Rule]) -> str:
    """All manuals, as Markdown."""
    return "\n".join([_INTRODUCTION, *_table(rules), *_sections(rules)])


def shown(example: str) -> str:
    """An example in which characters that nobody would see are escapes."""
    return "".join(
        sign if sign == "\n" or sign.isprintable() else f"\\u{ord(sign):04x}" for sign in example
    )


def _table(rules: Sequence[Rule]) -> Iterator[str]:
    yield "| code | name | severity | finds |"
    yield "|---|---|---|---|"
    for rule in rules:
        link = f"[{rule.code}](#{_anchor(rule)})"
        yield f"| {link} | {rule.name} | {rule.severity} | {rule.finds.replace('|', chr(92) + '|')} |"
    yield ""


def _sections(rules: Sequence[Rule]) -> Iterator[str]:
    family = ""
    for rule in rules:
        if rule.code[2] != family:
            family = rule.code[2]
            title, sentence = FAMILIES[family]
            yield f"## BC{family}: {title}\n\n{sentence}\n"
        yield f"### {rule.code} {rule.name}\n"
        yield f"{_kind(rule)}\n\n{rule.finds}\n\n{rule.why}\n\n{rule.instead}\n"
        if rule.bad:
            yield f"Found here:\n\n{_example(rule.bad)}\nPut right:\n\n{_example(rule.good)}"


def _kind(rule: Rule) -> str:
    said = f"*{rule.severity}*"
    if rule.check is by_the_reader:
        return f"{said}; the engine does not load such a file."
    return f"{said}; about the linter's own work." if rule.check is by_the_linter else f"{said}"


def _example(text: str) -> str:
    # Without a word behind the fence: most of these examples are wrong on purpose.
    return f"{_FENCE}\n{shown(text)}{_FENCE}\n"


def _anchor(rule: Rule) -> str:
    return f"{rule.code} {rule.name}".lower().replace(" ", "-")


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
