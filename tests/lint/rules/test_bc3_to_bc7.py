"""What is true of every rule about budgets, templates, messages, caching and safety."""

from __future__ import annotations

import re

import pytest

from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.fixes import apply_fixes
from biblicus_context.lint.engine.rule import Rule
from tests.lint.rules.harness import assembler_of, plans_of, rules_of, violations

RULES = rules_of("34567")
ERRORS = [rule for rule in RULES if rule.severity is Severity.ERROR]


def _code(rule: Rule) -> str:
    return rule.code


INPUTS = {
    "question": "Why?",
    "language": "de",
    "tone": "kind",
    "order": {"id": "A-1"},
    "user": {"name": "Ada", "_name": "Ada"},
    "customer": "Ada",
    "document": "All of it.",
    "report": "All of it.",
    "summary": "Some of it.",
    "name": "Ada",
    "now": "noon",
    "search": True,
}


@pytest.mark.parametrize("rule", ERRORS, ids=_code)
def test_a_finding_with_severity_error_ends_a_call_in_an_error(rule: Rule):
    assert _outcomes(rule.bad) & {"error"}
    assert _outcomes(rule.good) == {"assembled"}


def _outcomes(text: str) -> set[str]:
    """The result of calling each context that is not nested."""
    assembler = assembler_of(text)
    contexts = [plan.declaration for plan in plans_of(text) if plan.kind == "context"]
    inserted = {insert.name for context in contexts for insert in context.inserts}
    outcomes = set()
    for context in contexts:
        if context.name not in inserted:
            known = context.inputs
            inputs = {k: v for k, v in INPUTS.items() if known is None or k in known}
            try:
                assembler.assemble(context.name, inputs=inputs)
                outcomes.add("assembled")
            except ContextError:
                outcomes.add("error")
    return outcomes


@pytest.mark.parametrize("rule", RULES, ids=_code)
def test_the_fixes_of_a_bad_example_remove_all_findings_of_the_rule(rule: Rule):
    found = violations(rule, rule.bad)
    if not all(violation.edits for violation in found):
        return
    changed = apply_fixes(rule.bad, [rule.finding("plan.yaml", violation) for violation in found])
    assert len(changed.applied) == len(found)
    assert violations(rule, changed.text) == []
    assert _comments(changed.text) == _comments(rule.bad)


def _comments(text: str) -> list[str]:
    return re.findall(r"# .*", text)
