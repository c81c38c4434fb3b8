"""The examples of the manuals: a rule finds the marked lines before, and nothing after its correction."""

from __future__ import annotations

import re

import pytest

from biblicus_context.errors import ContextError
from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.fixes import apply_fixes
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.rules import shipped_rules
from tests.lint.linting import found, report_of
from tests.lint.rules.harness import assembler_of, plans_of, rules_of, violations

# A page cannot show these; tests/lint/test_bad_input.py does.
WITHOUT_EXAMPLE = {
    "failed-rule",
    "invalid-utf-8",
    "too-many-aliases",
    "too-many-values",
    "too-many-documents",
    "too-many-problems",
    "file-too-large",
    "unreadable-file",
    "empty-folder",
}
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


def each_of(rules: list[Rule]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("rule", rules, ids=lambda rule: rule.code)


WITH_EXAMPLE = [rule for rule in shipped_rules() if rule.manual.example]
OF_MEANING = rules_of("34567")
"""Rules about documents that the engine reads; their examples can be assembled."""
REFUSED_BY_THE_RETRIEVER = {"BC709"}
"""Here nothing is searched: every retriever is one that finds nothing."""


def test_only_rules_about_unprintable_files_have_no_example():
    assert {rule.name for rule in shipped_rules() if not rule.manual.example} == WITHOUT_EXAMPLE


@each_of(WITH_EXAMPLE)
def test_a_bad_example_has_findings_exactly_on_the_marked_lines(rule, tmp_path):
    marked = [
        number
        for number, line in enumerate(re.split(r"\r\n|\r|\n", rule.manual.bad), 1)
        if f"<- {rule.code}" in line
    ]
    assert marked
    report = report_of(tmp_path, rule.manual.bad)
    assert sorted({line for _, line in found(report, rule.code)}) == marked


@each_of(WITH_EXAMPLE)
def test_a_good_example_has_no_findings_and_no_marks(rule, tmp_path):
    assert "<- " not in rule.manual.good
    assert report_of(tmp_path, rule.manual.good).findings == ()


@each_of(
    [
        rule
        for rule in OF_MEANING
        if rule.severity is Severity.ERROR and rule.code not in REFUSED_BY_THE_RETRIEVER
    ]
)
def test_a_finding_with_severity_error_ends_a_call_in_an_error(rule):
    assert _outcomes(rule.manual.bad) & {"error"}
    assert _outcomes(rule.manual.good) == {"assembled"}


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


@each_of(OF_MEANING)
def test_the_fixes_of_a_bad_example_remove_all_findings_of_the_rule(rule):
    bad = rule.manual.bad
    findings = [rule.finding("plan.yaml", each) for each in violations(rule, bad)]
    if not all(each.edits for each in findings):
        return
    changed = apply_fixes(bad, findings)
    assert len(changed.applied) == len(findings)
    assert violations(rule, changed.text) == []
    assert _comments(changed.text) == _comments(bad)


def _comments(text: str) -> list[str]:
    return re.findall(r"# .*", text)
