"""BC415: a placeholder with an unknown name."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.likely_placeholders import KnownNames, is_unknown
from biblicus_context.lint.facts.templates.quoted_packs import inserted_packs
from biblicus_context.lint.facts.templates.texts import PROVIDED, texts, violation_in
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    for text in texts(plan.declaration):
        if text.is_template or not text.parsed.uses:
            continue
        names = PROVIDED | text.spec.vars.keys()
        known = KnownNames(names, frozenset(context.inputs or ()), inserted_packs(context))
        unknown = {
            use.path: use
            for use in reversed(text.parsed.uses)
            if is_unknown(use, known) and not _is_code(text.source, use.offset)
        }
        for use in unknown.values():
            yield violation_in(
                plan,
                text,
                use.offset,
                "the unknown placeholder stays in the text, unless the caller passes the name",
                found=f"{{{use.path}}}",
                valid=tuple(sorted(names)),
                advice=f"Write {{input.{use.path}}} for an input.",
            )


def _is_code(text: str, offset: int) -> bool:
    """Whether the braces directly follow a dollar sign, a letter or a brace: `${HOME}`, `frac{a}`."""
    before = text[offset - 1 : offset]
    return before.isalnum() or before in ("$", "}")


RULE = Rule(
    code="BC415",
    name="unknown-placeholder",
    severity=Severity.NOTE,
    finds=(
        "A placeholder in `content` begins with a name that is not `input`, `context` or one of "
        "its `vars`."
    ),
    why=(
        "Such braces stay in the text, and the model sees them. That is right for JSON or code, "
        "and wrong for a forgotten name. A caller can pass more names in `template_context`."
    ),
    instead="Write `{input.name}`, or declare the name under `vars`.",
    bad="""\
kind: context
name: support
messages:
  - type: user
    content: |-
      Write to {customer}.  <- BC415
      {input.question}
""",
    good="""\
kind: context
name: support
messages:
  - type: user
    content: |-
      Write to {input.customer}.
      {input.question}
""",
    check=_check,
    depends_on=frozenset({"inputs", "messages"}),
)
