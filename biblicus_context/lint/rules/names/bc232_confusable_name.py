"""BC232: a name that is another one but for case, dashes and the like."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declared
from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    """Names of one noun, as they sound: the first to come is right."""
    name = plan.declaration.name
    first = declared.alike(plan.kind, name)
    if first is not None and first.name != name:
        yield plan.remark(
            ("name",),
            f"the name differs from {first.name!r} in case or separators only",
            found=name,
            advice=f"Rename one of them; the other stands in {first.file}:{first.place.line}.",
        )


RULE = Rule(
    code="BC232",
    name="confusable-name",
    severity=Severity.WARNING,
    finds="Two names that differ only in upper and lower case, dashes, underscores or dots.",
    why="Sooner or later someone writes the one and means the other, and no error tells.",
    instead="Give one of them another name, or remove one if both mean the same.",
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
)
