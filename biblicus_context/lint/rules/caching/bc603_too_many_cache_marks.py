"""BC603: a plan marks more ends of stable parts than a provider's cache takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.formats.cache_marks import MOST_MARKS
from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.spec.context import ContextDeclaration

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, _: Declared) -> Iterator[Remark]:
    context = plan.declaration
    if not isinstance(context, ContextDeclaration):
        return
    marked = [at for at, directive in enumerate(context.messages or ()) if directive.cache]
    for at in marked[MOST_MARKS:]:
        yield plan.remark(
            ("messages", at, "cache"),
            f"Anthropic takes {MOST_MARKS} cache marks, and this is one more",
            advice="Keep the marks behind the longest parts that stay the same.",
        )


RULE = Rule(
    code="BC603",
    name="too-many-cache-marks",
    severity=Severity.WARNING,
    finds="More than four directives of a plan are marked `cache: true`.",
    why="Anthropic's API takes four marks in a request and refuses one with more, so "
    "`to_anthropic()` raises an error.",
    instead="Mark the ends of the longest parts that stay the same from call to call: a part in "
    "front of a mark is cached as well.",
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
