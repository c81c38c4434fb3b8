"""BC701: retrieved text is placed without a mark where it begins and ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from biblicus_context.lint.engine.finding import Remark, Severity
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.facts.budgets.packs import inserts
from biblicus_context.lint.rules.example_parts import KNOWLEDGE_BASE

if TYPE_CHECKING:
    from biblicus_context.lint.facts.project.declarations import Declared
    from biblicus_context.lint.facts.project.plan import Plan


def _check(plan: Plan, declared: Declared) -> Iterator[Remark]:
    for insert in inserts(plan, declared):
        form = insert.options.format
        if _is_retriever(insert.name, declared) and not (form and form.fence):
            yield plan.remark(
                (*insert.path, "name"),
                f"what '{insert.name}' finds is placed without a fence",
                advice="Add format: {fence: true}; allow this for texts that you wrote yourself.",
            )


def _is_retriever(name: str, declared: Declared) -> bool:
    """Whether a name is known to be one; an unknown name is a finding of its own."""
    return ("retriever", name) in declared.by_name or name in declared.from_python.get("pack", ())


RULE = Rule(
    code="BC701",
    name="evidence-without-fence",
    severity=Severity.WARNING,
    finds="A retriever's pack is inserted without `format: {fence: true}`.",
    why="Retrieved text can hold instructions, and without a fence nothing tells the model where "
    "your words end and a document begins. The fence is a pair of tags that no document can close.",
    instead="Write `format: {fence: true}`, and say in a system text that what stands between the "
    "tags is data.",
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
