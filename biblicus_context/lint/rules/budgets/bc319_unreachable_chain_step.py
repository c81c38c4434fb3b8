"""BC319: a step of a compactor chain that is never used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.compactor_settings import compactors_of
from biblicus_context.spec.compactor import CompactorDeclaration

_ALWAYS_FIT = frozenset({"truncate", "tail", "head_tail"})


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for path, settings in compactors_of(plan.declaration):
        steps = settings.get("steps", ())
        for index, step in enumerate(steps[:-1]):
            kind = _type(step, declared)
            if kind in _ALWAYS_FIT:
                yield plan.violation(
                    (*path, "steps", index + 1),
                    f"the step is never reached: the result of '{kind}' before it always fits",
                    advice=f"Put '{kind}' last, or remove the steps after it.",
                )
                break


def _type(step: object, declared: Declarations) -> object:
    if isinstance(step, Mapping):
        return step.get("type")
    entry = declared.by_name.get(("compactor", str(step)))
    if entry is not None and isinstance(entry.declaration, CompactorDeclaration):
        return entry.declaration.config.get("type")
    return step


RULE = Rule(
    code="BC319",
    name="unreachable-chain-step",
    severity=Severity.WARNING,
    finds="A step of a compactor chain comes after a step whose result always fits.",
    why=(
        "A chain ends as soon as the text fits. `truncate`, `tail` and `head_tail` always reach "
        "the required size, so later steps are never used."
    ),
    instead="Put the compactor that always fits last.",
    bad="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 4000}
  compactor:
    type: chain
    steps:
      - truncate
      - extractive  # <- BC319
messages:
  - {type: system, content: Hints that are nice to have., shrink: true}
  - {type: user, content: "{input.question}"}
""",
    good="""\
kind: context
name: support
policy:
  input_budget: {max_tokens: 4000}
  compactor:
    type: chain
    steps:
      - extractive
      - truncate
messages:
  - {type: system, content: Hints that are nice to have., shrink: true}
  - {type: user, content: "{input.question}"}
""",
    check=_check,
)
