"""BC426: a name that a format does not know."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.format_texts import format_texts, is_around_items
from biblicus_context.lint.facts.templates.texts import violation_in
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE
from biblicus_context.retrieval.packs.writing.surrounding_text import SURROUNDING_NAMES
from biblicus_context.retrieval.packs.writing.values import ITEM_VALUES


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for text in format_texts(plan.declaration):
        around = is_around_items(text)
        known = tuple(SURROUNDING_NAMES if around else ITEM_VALUES)
        for use in text.parsed.uses:
            if use.first not in known and not use.first.startswith("_"):
                yield violation_in(
                    plan,
                    text,
                    use.offset,
                    "unknown name",
                    found=use.first,
                    valid=known,
                    advice=_advice(use.first, around=around),
                )


def _advice(name: str, *, around: bool) -> str:
    if not around:
        return f"Write 'metadata.{name}' for a field of the metadata."
    if name in ITEM_VALUES:
        return "Values of a block are known in item, items and cut_note."
    return f"Write 'vars.{name}' for a name of the call."


RULE = Rule(
    code="BC426",
    name="unknown-name-in-format",
    severity=Severity.ERROR,
    finds="A text of a format uses a name that does not exist there.",
    why=(
        "Every call that uses the format ends in a TemplateError. A text of an item knows the values "
        "of its block; a title, a header, a footer and `empty` know `count`, `total`, `sources` and "
        "`vars`."
    ),
    instead=(
        "Correct the name. Write `metadata.` before a field of the metadata, and `vars.` before a "
        "name of the call, as in `{vars.input.question}`."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: notes}
  - {type: user, content: "{input.question}"}
---
kind: format
name: notes
fence: true
header: "{count} notes:\\n"
item: "- {content} ({author})" # <- BC426
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: notes}
  - {type: user, content: "{input.question}"}
---
kind: format
name: notes
fence: true
header: "{count} notes:\\n"
item: "- {content} ({metadata.author})"
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
