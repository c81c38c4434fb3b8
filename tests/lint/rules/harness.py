"""Run rules on texts of plan files, as the linter does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import settings

from biblicus_context import ContextAssembler
from biblicus_context.lint.engine.finding import Violation
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.lint.facts.project.declarations import Declarations, entry_of
from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.lint.facts.project.python_names import declarations_of as together
from biblicus_context.lint.rules import shipped_rules
from biblicus_context.reading import PlanDocument, read_documents

fewer = settings(max_examples=settings().max_examples // 2)
"""For properties that assemble whole plans."""


def plans_of(text: str, file: str = "plan.yaml") -> list[Plan]:
    """Every document of a text, which must be valid."""
    found = read_documents(text, file)
    documents = [each for each in found if isinstance(each, PlanDocument)]
    assert documents == found, found
    return [Plan(document, tuple(text.splitlines())) for document in documents]


def declarations_of(plans: Iterable[Plan]) -> Declarations:
    """The declarations of plans, without names from Python."""
    return together([entry_of(plan.document) for plan in plans], LintSettings())


def violations(rule: Rule, text: str, file: str = "plan.yaml") -> list[Violation]:
    """The findings of a rule in a text, by line."""
    plans = plans_of(text, file)
    declared = declarations_of(plans)
    found = [violation for plan in plans for violation in checked(rule, plan, declared)]
    return sorted(found, key=lambda violation: violation.place)


def checked(rule: Rule, plan: Plan, declared: Declarations) -> Iterable[Violation]:
    """What the check of a rule finds in a document; nothing if the reader or the linter finds it."""
    return rule.check(plan, declared) if rule.check else ()


def codes(text: str, *rules: Rule) -> list[str]:
    """The code and the line of each finding in a text."""
    plans = plans_of(text)
    declared = declarations_of(plans)
    return [
        f"{rule.code}:{violation.place.line}"
        for rule in rules or rules_of("34567")
        for plan in plans
        for violation in checked(rule, plan, declared)
    ]


def rules_of(families: str) -> list[Rule]:
    """The shipped rules of these families, given as digits."""
    return [rule for rule in shipped_rules() if rule.code[2] in families]


def rule_named(code: str) -> Rule:
    """The shipped rule of this code."""
    return next(rule for rule in shipped_rules() if rule.code == code)


def nothing_found(request: Any) -> None:
    """A retriever that never finds anything."""


def assembler_of(text: str, retriever: Any = nothing_found) -> ContextAssembler:
    """An assembler for everything a text declares; every retriever is this one."""
    plans = plans_of(text)

    def declarations(kind: str) -> dict[str, Any]:
        return {each.declaration.name: each.declaration for each in plans if each.kind == kind}

    return ContextAssembler(
        declarations("context"),
        declarations("retriever"),
        compactor_registry=declarations("compactor"),
        default_retriever=retriever,
        policy_registry=declarations("policy"),
        format_registry=declarations("format"),
    )
