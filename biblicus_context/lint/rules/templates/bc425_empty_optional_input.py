"""BC425: an optional input in the middle of a text, which leaves a gap where it is omitted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import contracts, input_uses
from biblicus_context.lint.facts.templates.optional_inputs import is_guarded, may_be_null
from biblicus_context.lint.facts.templates.parsed_template import TemplatePiece
from biblicus_context.lint.facts.templates.texts import DirectiveText, violation_in


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    uses = input_uses(plan, declared)
    known = list(contracts(plan, declared)) if uses else []
    for written, use in uses:
        if not isinstance(written, DirectiveText) or use.path.count(".") != 1 or use.has_default:
            continue
        name = use.path.removeprefix("input.")
        if not any(name in inputs and may_be_null(inputs[name]) for _, inputs in known):
            continue
        sentence = _around(written.parsed.pieces, use.path, use.offset)
        if sentence is None or is_guarded(plan, declared, written, use.path):
            continue
        yield violation_in(
            plan,
            written,
            use.offset,
            f"input '{name}' is optional: without it the text says {sentence!r}",
            found=use.path,
            advice=f"Give the input a default, give the directive when: {use.path}, or write "
            f"{{{{ {use.path} | default('...') }}}} in a template.",
        )


def _around(pieces: Sequence[TemplatePiece], path: str, offset: int) -> str | None:
    """The line without the input; None where nothing else is in it."""
    for at, piece in enumerate(pieces):
        if len(piece.uses) == 1 and piece.uses[0].path == path and piece.uses[0].offset == offset:
            before = pieces[at - 1].text.rpartition("\n")[2] if at else ""
            after = pieces[at + 1].text.partition("\n")[0] if at + 1 < len(pieces) else ""
            line = f"{before[-30:]}{after[:30]}".strip()
            return line if re.search(r"\w", line) else None
    return None


RULE = Rule(
    code="BC425",
    name="empty-optional-input",
    severity=Severity.WARNING,
    finds=(
        "An optional input without a default is written in a line with other words, and no "
        "condition guards it."
    ),
    why=(
        "An omitted input is null and is written as an empty text. The rest of the sentence "
        "stays: the model reads 'Answer in .'."
    ),
    instead=(
        "Give the input a default, guard the directive with `when: input.language`, guard the "
        "sentence with `{% if input.language %}`, or write `{{ input.language | "
        "default('English') }}` in a template."
    ),
    bad="""\
kind: context
name: support
inputs:
  question: string
  language: {type: string, required: false}
messages:
  - type: system
    content: "Answer in {input.language}."  # <- BC425
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
inputs:
  question: string
  language: {type: string, required: false}
messages:
  - type: system
    template: "Answer in {{ input.language | default('English') }}."
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
