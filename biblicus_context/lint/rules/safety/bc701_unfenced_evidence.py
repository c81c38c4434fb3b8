"""BC701: retrieved text without a fence."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.lint.engine.finding import Severity, Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE


def _check(plan: Plan, declared: Declarations) -> Iterator[Violation]:
    for insert in inserts(plan, declared):
        form = declared.format(insert.options)
        if _is_retriever(insert.name, declared) and not (form and form.fence):
            yield plan.violation(
                (*insert.path, "name"),
                f"the evidence of '{insert.name}' is placed without a fence",
                advice="Add format: {fence: true}. If you wrote these texts yourself, suppress this finding.",
            )


def _is_retriever(name: str, declared: Declarations) -> bool:
    """Whether a name is a known retriever; BC201 reports unknown names."""
    return ("retriever", name) in declared.by_name or name in declared.from_python.get("pack", ())


RULE = Rule(
    code="BC701",
    name="unfenced-evidence",
    severity=Severity.WARNING,
    finds="The pack of a retriever is inserted without `format: {fence: true}`.",
    why=(
        "Retrieved text can contain instructions. A fence is a pair of tags that no document can "
        "close; without it the model cannot see where your text ends and a document begins."
    ),
    instead=(
        "Write `format: {fence: true}`, and say in a system text that everything between the tags "
        "is data."
    ),
    bad="""\
kind: context
name: support
messages:
  - {type: context, name: kb}  # <- BC701
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    good="""\
kind: context
name: support
messages:
  - {type: context, name: kb, format: {fence: true}}
  - {type: user, content: "{input.question}"}
"""
    + KNOWLEDGE_BASE,
    check=_check,
)
