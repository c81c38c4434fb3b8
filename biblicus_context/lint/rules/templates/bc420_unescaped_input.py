"""BC420: an input inside markup that it can close."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import inputs_of
from biblicus_context.lint.facts.templates.markup import Markup, has_marks
from biblicus_context.lint.facts.templates.texts import DirectiveText, texts, violation_in
from biblicus_context.spec.context import ContextDeclaration, InputSpec

_ESCAPING: Final = frozenset({"e", "escape", "forceescape", "tojson", "urlencode", "int", "float"})
_PLAIN: Final = frozenset({"integer", "number", "boolean"})


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    for text in texts(plan.declaration):
        if text.role == "system" and has_marks(text.source) and "input" not in text.spec.vars:
            known = inputs_of(context, declared) or {}
            yield from _in(plan, text, known)


def _in(plan: Plan, text: DirectiveText, known: Mapping[str, InputSpec]) -> Iterator[Violation]:
    pieces = list(text.pieces)
    markup = Markup("".join(piece.text for piece in pieces))
    for piece, offset in zip(pieces, accumulate(len(piece.text) for piece in pieces), strict=True):
        names = [use.path for use in piece.uses if use.first == "input"]
        if not names or piece.filters & _ESCAPING or _is_plain(names, known):
            continue
        around = markup.around(offset)
        if around:
            yield violation_in(
                plan,
                text,
                piece.uses[0].offset,
                f"unescaped input inside {around}, which it can close",
                found=names[0],
                advice=f"Escape it in a template, {{{{ {names[0]} | e }}}}, "
                "or place it in the user message.",
            )


def _is_plain(names: list[str], known: Mapping[str, InputSpec]) -> bool:
    """Whether the values are numbers or booleans, which cannot contain markup."""
    specs = [known.get(name.split(".")[1]) if "." in name else None for name in names]
    return all(spec is not None and spec.type in _PLAIN for spec in specs)


RULE = Rule(
    code="BC420",
    name="unescaped-input",
    severity=Severity.WARNING,
    finds=(
        "A system text places an input between tags, in a code fence or between triple quotes "
        "without escaping it."
    ),
    why=(
        "The markup shows the model where data begins and ends. An input that contains "
        "`</document>` ends the data, and the rest of it reads like an instruction of the system "
        "prompt."
    ),
    instead=(
        "Escape the value in a `template` (`{{ input.text | e }}` or `| tojson`), place it in the "
        "user message, or retrieve it with `format: {fence: true}`."
    ),
    bad="""\
kind: context
name: support
messages:
  - type: system
    content: |-
      Answer from this document only.
      <document>
      {input.document}  <- BC420
      </document>
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - type: system
    template: |-
      Answer from this document only.
      <document>
      {{ input.document | e }}
      </document>
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
