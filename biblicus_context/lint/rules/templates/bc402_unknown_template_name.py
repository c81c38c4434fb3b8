"""BC402: a name that is not defined in a template."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.parsed_template import TemplateName
from biblicus_context.lint.facts.templates.quoted_packs import inserted_packs
from biblicus_context.lint.facts.templates.texts import (
    PROVIDED,
    PROVIDED_TO_QUERIES,
    DirectiveText,
    FieldText,
    conditions,
    queries,
    texts,
    violation_in,
)
from biblicus_context.spec.context import ContextDeclaration

_OF_HISTORY = ("history.last_user", "history.users")


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for text in texts(plan.declaration):
        if text.is_template:
            yield from _in(plan, declared, text, PROVIDED | text.spec.vars.keys())
    for condition in conditions(plan.declaration):
        yield from _in(plan, declared, condition, PROVIDED)
    for query in queries(plan.declaration):
        if query.parsed.has_jinja:
            yield from _in(plan, declared, query, PROVIDED_TO_QUERIES)
        yield from _in_history(plan, query)


def _in(
    plan: Plan, declared: Declarations, written: DirectiveText | FieldText, known: frozenset[str]
) -> Iterator[Violation]:
    seen = {*known}
    for use in written.parsed.uses:
        if use.first in seen or use.has_default or use.first.startswith("_"):
            continue
        seen.add(use.first)
        yield violation_in(
            plan,
            written,
            use.offset,
            "unknown name",
            found=use.first,
            valid=tuple(sorted(known)),
            advice=_advice(plan, declared, use),
        )


def _in_history(plan: Plan, query: FieldText) -> Iterator[Violation]:
    """The parts of the conversation that do not exist."""
    for use in query.parsed.uses:
        first, name, *_ = [*use.path.split("."), ""]
        path = f"{first}.{name}"
        if first == "history" and name and not name.isdecimal() and path not in _OF_HISTORY:
            yield violation_in(
                plan,
                query,
                use.offset,
                "unknown part of the conversation",
                found=path,
                valid=_OF_HISTORY,
                advice="A loop over history has the newest messages, each with role and content.",
            )


def _advice(plan: Plan, declared: Declarations, use: TemplateName) -> str:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return "Write 'input.' before the name of an input."
    if use.first in (context.inputs or ()):
        return f"Write 'input.{use.path}'."
    if use.first in inserted_packs(context):
        return f"Write 'context.{use.path}'."
    return "Declare it under vars, or declare it as an input and write 'input.' before it."


RULE = Rule(
    code="BC402",
    name="unknown-template-name",
    severity=Severity.WARNING,
    finds=(
        "A `template` or a `when` uses a name that is not `input`, `context` or one of its `vars`."
    ),
    why=(
        "An unknown name ends the call in a TemplateError, unless the caller passes it in "
        "`template_context`. A `when` cannot use the `vars` of its directive."
    ),
    instead=(
        "Write `input.` before the name of an input and `context.` before the name of a pack, or "
        "declare the name under `vars`. Give an optional name a default: `{{ name | default('') "
        "}}`."
    ),
    bad="""\
kind: context
name: support
inputs: {question: string}
messages:
  - type: user
    template: |-
      Answer this question:
      {{ question }}  {# <- BC402 #}
      {input.question}
""",
    good="""\
kind: context
name: support
inputs: {question: string}
messages:
  - type: user
    template: |-
      Answer this question:
      {{ input.question }}
""",
    check=_check,
    depends_on=frozenset({"inputs", "messages"}),
)
