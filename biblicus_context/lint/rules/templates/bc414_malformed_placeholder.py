"""BC414: braces that look like a placeholder but are not."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.likely_placeholders import (
    KnownNames,
    likely_placeholders,
)
from biblicus_context.lint.facts.templates.quoted_packs import inserted_packs
from biblicus_context.lint.facts.templates.texts import (
    PROVIDED,
    PROVIDED_TO_QUERIES,
    DirectiveText,
    FieldText,
    queries,
    texts,
    violation_in,
)
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for written, known in _written(plan, declared):
        is_strict = isinstance(written, DirectiveText) and written.is_template
        for found in likely_placeholders(written.parsed, known, is_strict=is_strict):
            yield violation_in(
                plan,
                written,
                found.offset,
                found.problem,
                found=found.text,
                advice=found.advice,
            )


def _written(
    plan: Plan, declared: Declarations
) -> Iterator[tuple[DirectiveText | FieldText, KnownNames]]:
    context = plan.declaration
    if isinstance(context, ContextDeclaration):
        inputs, packs = frozenset(context.inputs or ()), inserted_packs(context)
        for text in texts(plan.declaration):
            if "{" in text.source:
                yield text, KnownNames(PROVIDED | text.spec.vars.keys(), inputs, packs)
    for query in queries(plan.declaration):
        yield query, KnownNames(PROVIDED_TO_QUERIES)


RULE = Rule(
    code="BC414",
    name="malformed-placeholder",
    severity=Severity.WARNING,
    finds=(
        "Braces look like a placeholder but are not one: `{ input.x }`, `{inputs.x}`, `{x}` for an "
        "input x, or `{input.x!r}`; or `{input}` names no input."
    ),
    why=(
        "A placeholder is a dotted path between single braces. Anything else stays in the text, "
        "and the model sees the braces; `{input}` alone is replaced by all inputs as JSON."
    ),
    instead=(
        "Write `{input.name}` for an input and `{context.name}` for a pack, without spaces. Use a "
        "`template` for filters."
    ),
    bad="""\
kind: context
name: support
inputs: {question: string, language: string}
messages:
  - type: user
    content: |-
      Answer in {language}.  <- BC414
      Question: { input.question }  <- BC414
      Once more: {input.question} {input.language}
""",
    good="""\
kind: context
name: support
inputs: {question: string, language: string}
messages:
  - type: user
    content: |-
      Answer in {input.language}.
      Question: {input.question}
""",
    check=_check,
    depends_on=frozenset(),
)
