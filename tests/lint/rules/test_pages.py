"""The page of a family and the module of its checks belong together, name by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from biblicus_context.lint import rules as folder
from biblicus_context.lint.engine.finding import Severity
from biblicus_context.lint.engine.manual import ManualPage
from biblicus_context.lint.rules import FAMILIES, files, names, shipped_rules
from biblicus_context.reading.mistakes import Mistake
from tests.docs.reader import ROOT

RULES = shipped_rules()
FOUND_BY_READER = (*files.FOUND_BY_READER, *names.FOUND_BY_READER)
NOTES = {
    "reader": "; the engine does not load the document.",
    "linter": "; about the linter itself.",
    "check": "",
}

CALQUES = re.compile(
    r"\b(?:behind|beside|is told|handed? (?:in|on)|stands? (?:in|there)|is no|put right"
    r"|circle|cannot be meant|as many as|twin|mistake)\b",
    re.IGNORECASE,
)
"""Words that the glossary replaces, such as "behind" by "after"."""

each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@each_family
def test_a_page_has_a_section_for_each_rule_of_its_family_in_the_order_of_codes(family):
    headings = [manual.heading for manual in family.page.manuals.values()]
    assert headings == [f"{rule.code} {rule.name}" for rule in family.rules]
    assert headings == sorted(headings)


@each_family
def test_a_page_begins_with_the_codes_and_a_summary_of_its_family(family):
    assert family.page.title.startswith(f"{family.prefix}: ")
    assert family.page.summary.endswith(".")
    assert all(rule.code.startswith(family.prefix) for rule in family.rules)


@each_family
def test_the_page_of_a_family_is_a_page_of_the_site(family):
    page = ROOT / "docs" / "rules" / f"{family.name}.md"
    assert page.resolve() == Path(folder.__path__[0]) / f"{family.name}.md"
    assert f"rules/{family.name}.md" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


def test_every_module_and_page_of_the_folder_is_a_family():
    found = {
        file.stem for file in Path(folder.__path__[0]).iterdir() if file.suffix in (".py", ".md")
    }
    assert found - {"__init__"} == {family.name for family in FAMILIES}


@each_rule
def test_a_check_is_named_like_its_rule_and_a_manual_says_its_severity(rule):
    if rule.check is not None:
        name = rule.name.replace("-", "_")
        assert rule.check.__name__ in (name, "mistakes")  # of several kinds, in a table
    found_by = "check" if rule.check else "reader" if rule in FOUND_BY_READER else "linter"
    assert rule.manual.note == f"*{rule.severity}*{NOTES[found_by]}"


@each_rule
def test_a_manual_is_complete(rule):
    manual = rule.manual
    for text in (manual.finds, manual.why, manual.instead):
        assert text[0].isupper() or text[0] in "`{"
        assert text.endswith(".")
    assert manual.finds.count(". ") <= 1


@each_rule
def test_a_manual_is_in_plain_english(rule):
    manual = rule.manual
    assert CALQUES.findall(f"{rule.name} {manual.finds} {manual.why} {manual.instead}") == []


def test_codes_and_names_are_unique():
    assert all(re.fullmatch(r"BC\d{3}", rule.code) for rule in RULES)
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


def test_every_error_of_the_reader_has_a_rule_and_the_reverse():
    assert sorted(rule.name for rule in FOUND_BY_READER) == sorted(get_args(Mistake))


def test_only_findings_of_the_reader_and_of_the_linter_have_no_check():
    unchecked = {rule for rule in RULES if rule.check is None}
    assert {rule.code[:3] for rule in unchecked - {*FOUND_BY_READER}} == {"BC0"}


PAGE = """\
# XY: Of ours

What we want.

## XY001 no-title

*warning*

A context
without a title.

Nobody finds it.

Write one.

```diff
- name: a⟨U+0007⟩b # <- XY001
+ name: ab
  text: |  # <- XY001

    ## Not a section
  more: {{ a }}{# <- XY001 #}
```

## XY002 second

*note*

Finds.
"""


def test_a_page_is_read_into_manuals_with_both_sides_of_each_example():
    page = ManualPage.parse(PAGE)
    assert (page.title, page.summary) == ("XY: Of ours", "What we want.")
    first, second = page.manuals["XY001"], page.manuals["XY002"]
    assert (first.heading, first.note) == ("XY001 no-title", "*warning*")
    assert (first.finds, first.instead) == ("A context without a title.", "Write one.")
    assert first.bad.startswith("name: a\x07b # <- XY001\ntext: |  # <- XY001\n\n  ## Not")
    assert first.good == "name: ab\ntext: |\n\n  ## Not a section\nmore: {{ a }}\n"
    assert (second.finds, second.why, second.example) == ("Finds.", "", "")


def test_a_rule_without_a_page_says_so():
    rule = RULES[0]
    elsewhere = type(rule)("XY001", "of-ours", Severity.NOTE, module="no.such.module")
    assert elsewhere.manual.finds == "This rule has no manual."
    assert elsewhere.manual.text() == "XY001 of-ours (note)\n\nThis rule has no manual."
