"""BC301: text that cannot shrink is larger than the budget."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.policies import is_inserted
from biblicus_context.lint.facts.budgets.sizes import pinned_text
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration) or is_inserted(context, declared):
        return
    limits = declared.limits(context)
    if limits is None or limits.budget is None:
        return
    size = pinned_text(context, limits, declared)
    if size is not None and size.tokens > limits.budget:
        yield plan.violation(
            size.largest,
            f"the text that every call places needs {size.tokens:,} tokens, "
            f"but the input budget is {limits.budget:,}",
            advice=f"This text has {size.largest_tokens:,} tokens: shorten it, mark system text "
            "with shrink: true, or raise the budget.",
        )


RULE = Rule(
    code="BC301",
    name="pinned-text-over-budget",
    severity=Severity.ERROR,
    finds="The text that every call places and that cannot shrink is larger than the input budget.",
    why=(
        "The engine shortens an authored text, in the context or in one that it inserts, only if "
        "it is marked `shrink: true`, so every call "
        "ends in a BudgetError. Tokens are counted as in a call, with message framing; "
        "placeholders count as empty, conditions as false, and of alternatives only the smallest "
        "counts."
    ),
    instead=(
        "Shorten the text, raise the budget, or mark text that may be shortened with `shrink: "
        "true`."
    ),
    bad="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 12}}
messages:
  - type: system
    content: |-  # <- BC301
      You are a support agent. Answer in short sentences, and say so when you do not know.
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy: {input_budget: {max_tokens: 1000}}
messages:
  - type: system
    content: |-
      You are a support agent. Answer in short sentences, and say so when you do not know.
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
