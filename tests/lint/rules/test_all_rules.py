"""Every rule has correct examples and a complete manual."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from biblicus_context.lint import rules as folder
from biblicus_context.lint.engine.rule import Rule, checked_by_linter, checked_by_reader
from biblicus_context.lint.rules import FAMILIES, shipped_rules
from biblicus_context.reading.mistakes import Mistake
from tests.lint.linting import found, report_of
from tests.lint.rules.harness import declarations_of, plans_of

RULES = shipped_rules()
WITH_EXAMPLE = [rule for rule in RULES if rule.bad]
# An example cannot show these; tests/lint/test_bad_input.py does.
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

CALQUES = re.compile(
    r"\b(?:behind|beside|is told|handed? (?:in|on)|stands? (?:in|there)|is no|put right"
    r"|circle|cannot be meant|as many as|twin|mistake)\b",
    re.IGNORECASE,
)
"""Words that the glossary replaces, such as "behind" by "after"."""


def _code(rule: Rule) -> str:
    return rule.code


@pytest.mark.parametrize("rule", WITH_EXAMPLE, ids=_code)
def test_a_bad_example_has_findings_exactly_on_the_marked_lines(rule, tmp_path):
    marked = [
        number
        for number, line in enumerate(re.split(r"\r\n|\r|\n", rule.bad), 1)
        if f"<- {rule.code}" in line
    ]
    report = report_of(tmp_path, rule.bad)
    assert marked
    assert sorted({line for _, line in found(report, rule.code)}) == marked


@pytest.mark.parametrize("rule", RULES, ids=_code)
def test_a_good_example_has_no_findings(rule, tmp_path):
    assert rule.good
    assert report_of(tmp_path, rule.good).findings == ()


@pytest.mark.parametrize("rule", RULES, ids=_code)
def test_a_manual_is_complete(rule):
    for text in (rule.finds, rule.why, rule.instead):
        assert text == " ".join(text.split())
        assert text[0].isupper() or text[0] in "`{"
        assert text.endswith(".")
    assert rule.finds.count(". ") <= 1


@pytest.mark.parametrize("rule", RULES, ids=_code)
def test_a_manual_is_in_plain_english(rule):
    assert CALQUES.findall(f"{rule.name} {rule.finds} {rule.why} {rule.instead}") == []


def test_codes_and_names_are_unique():
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


def test_a_rule_is_in_the_folder_of_its_family_in_the_file_of_its_code_and_name():
    root = Path(folder.__path__[0])
    written = {file.relative_to(root).with_suffix("").as_posix() for file in root.rglob("bc*.py")}
    folders = {family.prefix: family.folder for family in FAMILIES}
    assert written == {
        f"{folders[rule.code[:3]]}/{rule.code.lower()}_{rule.name.replace('-', '_')}"
        for rule in RULES
    }
    assert all(re.fullmatch(r"BC\d{3}", rule.code) for rule in RULES)


def test_every_folder_of_rules_is_a_family():
    root = Path(folder.__path__[0])
    folders = {file.parent.name for file in root.glob("*/__init__.py")}
    assert folders == {family.folder for family in FAMILIES}


def test_only_rules_about_unprintable_files_have_no_bad_example():
    assert {rule.name for rule in RULES if not rule.bad} == WITHOUT_EXAMPLE


def test_every_error_of_the_reader_has_a_rule_and_the_reverse():
    assert sorted(rule.name for rule in RULES if rule.check is checked_by_reader) == sorted(
        get_args(Mistake)
    )


def test_rules_about_the_linter_are_family_0():
    assert [rule.code[:3] for rule in RULES if rule.check is checked_by_linter] == ["BC0"] * 4


@pytest.mark.parametrize("check", [checked_by_reader, checked_by_linter])
def test_a_rule_without_its_own_check_finds_nothing(check):
    (plan,) = plans_of(RULES[0].good)
    assert list(check(plan, declarations_of([plan]))) == []
