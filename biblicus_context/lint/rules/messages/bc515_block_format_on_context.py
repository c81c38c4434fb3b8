"""BC515: a format for blocks on a nested context."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import STYLE
from biblicus_context.spec.format import AROUND_ITEMS


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for insert in inserts(plan, declared):
        form = declared.format(insert.options) if insert.nested else None
        if form is None:
            continue
        path = (*insert.path, "format")
        is_named = isinstance(insert.options.format, str)
        for key in sorted(form.model_fields_set - {*AROUND_ITEMS}):
            yield plan.violation(
                path if is_named else (*path, key),
                f"'{key}' is for the blocks of a retriever, and '{insert.name}' is a context",
                advice=f"Set it in the formats of the packs that context '{insert.name}' inserts.",
            )


RULE = Rule(
    code="BC515",
    name="block-format-on-context",
    severity=Severity.ERROR,
    finds="A context is inserted with a format that says how blocks are written.",
    why=(
        "The packs in a nested context have formats of their own, so the engine refuses the key: "
        "with `fence: true` here, their evidence would still be placed without a fence. The format of "
        "a nested context can have a title, a header, a footer and `empty`."
    ),
    instead="Write the key into the formats of the packs that the nested context inserts.",
    bad="""\
kind: context
name: support
messages:
  - type: context
    name: style
    format:
      title: "# Style"
      fence: true  # <- BC515
  - {type: user, content: "{input.question}"}
"""
    + STYLE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: style, format: {title: "# Style"}}
  - {type: user, content: "{input.question}"}
"""
    + STYLE,
    check=_check,
)
