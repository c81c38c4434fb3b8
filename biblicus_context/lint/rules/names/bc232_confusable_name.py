"""BC232: two names that are easy to confuse."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    """Compares names of one kind without case and separators; the first declaration is not reported."""
    name = plan.declaration.name
    first = declared.similar(plan.kind, name)
    if first is not None and first.name != name:
        yield plan.violation(
            ("name",),
            f"the name differs from {first.name!r} only in case or separators",
            found=name,
            advice=f"Rename one of them; the other is declared at {first.file}:{first.place.line}.",
        )


RULE = Rule(
    code="BC232",
    name="confusable-name",
    severity=Severity.WARNING,
    finds="Two names differ only in case, dashes, underscores or dots.",
    why="Authors mix up the two names, and no error shows it.",
    instead="Rename one of them, or remove one if both mean the same.",
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: house-style}
  - {type: user, content: "{input.question}"}
---
kind: context
name: house-style
messages:
  - {type: system, content: Write short sentences.}
---
kind: context
name: House_Style # <- BC232
messages:
  - {type: system, content: Write long sentences.}
""",
    good="""\
kind: context
name: support
messages:
  - {type: context, name: house-style}
  - {type: user, content: "{input.question}"}
---
kind: context
name: house-style
messages:
  - {type: system, content: Write short sentences.}
---
kind: context
name: legal-style
messages:
  - {type: system, content: Write long sentences.}
""",
    check=_check,
    depends_on=frozenset(),
)
