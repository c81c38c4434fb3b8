"""BC424: a text does more with a pack that it places than to write it."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.placed_by_quotes import PackQuote, placed_by_quotes
from biblicus_context.lint.facts.templates.texts import violation_in
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import SystemMessageSpec
from biblicus_context.text.templates.placeholders import quote_of


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    for placed in placed_by_quotes(context):
        for quote in placed.quotes:
            yield from _altered(plan, quote, placed.name)
        assert isinstance(context, ContextDeclaration)
        if len(placed.quotes) > 1 and is_inserted(context, declared):
            second = placed.quotes[1]
            yield violation_in(
                plan,
                second.text,
                second.use.offset,
                f"pack '{placed.name}' is quoted a second time, in a context that others insert",
                advice="In a nested context a pack with place: quoted can be quoted once.",
            )


def _altered(plan: Plan, quote: PackQuote, name: str) -> Iterator[Violation]:
    spec = quote.text.spec
    if isinstance(spec, SystemMessageSpec) and spec.shrink:
        yield violation_in(
            plan,
            quote.text,
            quote.use.offset,
            f"this text has shrink: true, but it places pack '{name}', which shrinks instead",
            advice="Remove shrink: true.",
        )
    if quote.filters:
        applied = ", ".join(sorted(quote.filters))
        yield violation_in(
            plan,
            quote.text,
            quote.use.offset,
            f"pack '{name}' is written through a filter ({applied}), but must be written as it is",
            advice=f"Write {quote_of(name)}.",
        )


RULE = Rule(
    code="BC424",
    name="altered-quote",
    severity=Severity.ERROR,
    finds=(
        "A text passes a pack with `place: quoted` through a filter, has `shrink: true`, or, in a "
        "nested context, quotes it twice."
    ),
    why=(
        "The engine shrinks and cites the pack inside the text, so it must know where each of its "
        "blocks is. It writes the pack as it is, and refuses the call otherwise."
    ),
    instead="Write `{context.NAME}` as it is; `{% if context.NAME %}` may test whether it is empty.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb, place: quoted, format: {fence: true}}
  - type: user
    template: |-
      {{ context.kb | trim }}  <- BC424
      Question: {input.question}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, place: quoted, format: {fence: true}}
  - type: user
    template: |-
      {% if context.kb %}{{ context.kb }}{% else %}There is no evidence.{% endif %}
      Question: {input.question}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
