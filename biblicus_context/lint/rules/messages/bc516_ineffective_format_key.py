"""BC516: a key of a format that has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.errors import TemplateError
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.source.removal import removal
from biblicus_context.lint.facts.templates.format_texts import packs_with_paths
from biblicus_context.lint.facts.templates.texts import Steps
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE
from biblicus_context.retrieval.packs.writing.item_template import item_template
from biblicus_context.spec.format import FormatDeclaration, FormatSpec


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for path, options in packs_with_paths(plan.declaration):
        if not isinstance(options.format, FormatSpec):
            continue
        at = (*path, "format")
        if options.title is not None and options.format.title is not None:
            problem = "'title' has no effect: the pack has a title of its own"
            yield _ineffective(plan, (*at, "title"), problem)
        yield from _in_format(plan, options.format, at)
    if isinstance(plan.declaration, FormatDeclaration):
        yield from _in_format(plan, plan.declaration.format, ())


def _in_format(plan: Plan, form: FormatSpec, path: Steps) -> Iterator[Violation]:
    if form.cut_note is not None and not _may_shorten(form):
        problem = "'cut_note' has no effect: a block that its item changes is never shortened"
        yield _ineffective(plan, (*path, "cut_note"), problem)


def _may_shorten(form: FormatSpec) -> bool:
    """Whether there is a block that is written with its own text once, as it is."""
    if form.item is None:
        return True
    try:
        return any(
            item_template(text, "item").is_content_once
            for text in (form.item, *form.items.values())
        )
    except TemplateError:  # reported by BC401 and BC426
        return True


def _ineffective(plan: Plan, path: Steps, problem: str) -> Violation:
    return plan.violation(path, problem, advice="Remove it.", edits=removal(plan, path))


RULE = Rule(
    code="BC516",
    name="ineffective-format-key",
    severity=Severity.WARNING,
    finds=(
        "A format has a `title` although its pack has one, or a `cut_note` although none of its items "
        "writes `content` once and unchanged."
    ),
    why=(
        "The title of a pack replaces that of its format. A block is shortened only where its text is "
        "written once, as it is: of a changed text nobody knows which part is the block's."
    ),
    instead="Remove the key, or let an item write `{content}` once.",
    bad="""\
kind: context
name: support
messages:
  - type: context
    name: kb
    title: Handbook
    format:
      fence: true
      title: Evidence  # <- BC516
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, title: Handbook, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
