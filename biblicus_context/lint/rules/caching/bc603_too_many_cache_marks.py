"""BC603: more cache marks than a provider accepts."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.formats.cache_marks import MOST_MARKS
from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.spec.context import ContextDeclaration


def _check(plan: Plan, _: Declarations) -> Iterator[Violation]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    marked = [at for at, directive in enumerate(context.messages or ()) if directive.cache]
    for at in marked[MOST_MARKS:]:
        yield plan.violation(
            ("messages", at, "cache"),
            f"the Anthropic API accepts at most {MOST_MARKS} cache marks",
            advice="Keep the marks after the longest parts that stay the same.",
        )


RULE = Rule(
    code="BC603",
    name="too-many-cache-marks",
    severity=Severity.WARNING,
    finds=f"More than {MOST_MARKS} directives of a plan have `cache: true`.",
    why=(
        f"The Anthropic API rejects a request with more than {MOST_MARKS} marks, so "
        "`to_anthropic()` raises an error."
    ),
    instead=(
        "Mark only the ends of the longest parts that stay the same between calls. Everything "
        "before a mark is cached as well."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent., cache: true}
  - {type: system, content: Answer first., cache: true}
  - {type: system, content: Use short sentences., cache: true}
  - {type: system, content: Use no jargon., cache: true}
  - {type: system, content: Say who knows more., cache: true}  # <- BC603
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: system, content: Answer first.}
  - {type: system, content: Use short sentences.}
  - {type: system, content: Use no jargon.}
  - {type: system, content: Say who knows more., cache: true}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
