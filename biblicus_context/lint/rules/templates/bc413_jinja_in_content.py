"""BC413: Jinja2 where only placeholders are supported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.texts import (
    PROVIDED,
    DirectiveText,
    FieldText,
    queries,
    texts,
    violation_in,
)

_SIGN: Final = re.compile(
    r"\{\{[-+]?\s*(?P<name>[^\W\d]\w*)|\{%[-+]?\s*(?:if|elif|else|endif|for|endfor|set)\b"
)


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    del declared
    for text in texts(plan.declaration):
        if not text.is_template:
            yield from _in(
                plan, text, PROVIDED | text.spec.vars.keys(), "Use template: instead of content:."
            )
    for query in queries(plan.declaration):
        if not query.parsed.has_jinja:  # Jinja2 works in a query, and in no other setting
            yield from _in(plan, query, PROVIDED, "Use a placeholder such as {input.question}.")


def _in(
    plan: Plan, written: DirectiveText | FieldText, known: frozenset[str], advice: str
) -> Iterator[Violation]:
    for match in _SIGN.finditer(written.source) if "{" in written.source else ():
        if match["name"] is None or match["name"] in known:
            yield violation_in(
                plan,
                written,
                match.start(),
                "Jinja2 is not supported here, so it stays in the text",
                found=match[0],
                advice=advice,
            )
            return


RULE = Rule(
    code="BC413",
    name="jinja-in-content",
    severity=Severity.WARNING,
    finds=(
        "A `content`, or a setting of a retriever such as `filters`, contains Jinja2 such as "
        "`{{ input.name }}` or `{% if %}`."
    ),
    why=(
        "Only placeholders such as `{input.name}` are replaced there. The model sees the template "
        "instead of the value."
    ),
    instead=(
        "Write `template:` instead of `content:`, or use a placeholder with single braces and no "
        "spaces."
    ),
    bad="""\
kind: context
name: support
messages:
  - type: user
    content: "Question: {{ input.question }}"  # <- BC413
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    template: "Question: {{ input.question }}"
""",
    check=_check,
    depends_on=frozenset(),
)
