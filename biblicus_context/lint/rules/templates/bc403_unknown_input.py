"""BC403: an input that the context does not declare."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.templates.inputs import contracts, input_uses, is_accepted_anyway
from biblicus_context.lint.facts.templates.texts import violation_in
from biblicus_context.reading.listed_names import listed


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    uses = input_uses(plan, declared)
    known = list(contracts(plan, declared)) if uses else []
    seen: set[tuple[object, str]] = set()
    by_context = dict(known)
    names = cache(lambda context: sorted(by_context[context]))
    for written, use in uses:
        _, _, path = use.path.partition(".")
        name = path.partition(".")[0]
        if not name or use.has_default or is_accepted_anyway(name) or (written.path, name) in seen:
            continue
        lacking = next(((each, inputs) for each, inputs in known if name not in inputs), None)
        if lacking is not None:
            seen.add((written.path, name))
            context, _ = lacking
            yield violation_in(
                plan,
                written,
                use.offset,
                f"context '{context}' does not declare this input",
                found=name,
                valid=listed(name, names(context)),
                advice="Declare it under inputs, or use one of the declared inputs.",
            )


RULE = Rule(
    code="BC403",
    name="unknown-input",
    severity=Severity.ERROR,
    finds=(
        "A text, a `when` or the query of a retriever uses an input that the context does not "
        "declare."
    ),
    why=(
        "A context that declares `inputs` rejects all others, so the value never exists and the "
        "call fails. Inputs of the contexts that insert this one are taken into account."
    ),
    instead="Declare the input, or write the name of a declared one.",
    bad="""\
kind: context
name: support
inputs: {question: string}
messages:
  - type: user
    content: |-
      Question:
      {input.qestion}  <- BC403
      {input.question}
""",
    good="""\
kind: context
name: support
inputs: {question: string}
messages:
  - type: user
    content: |-
      Question:
      {input.question}
""",
    check=_check,
    depends_on=frozenset({"inputs", "messages"}),
)
