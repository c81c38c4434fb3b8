"""The manuals in a terminal, and the index of the site."""

from __future__ import annotations

import re

import pytest

from biblicus_context.lint.engine.rule_book import rule_book
from biblicus_context.lint.rules import FAMILIES, shipped_rules
from generators.rule_pages import index, links
from tests.docs.reader import ROOT


def test_every_manual_is_linked_in_the_index():
    linked = re.findall(r"\((rules/[\w-]+\.md#[\w-]+)\)", index(""))
    headings = {
        f"rules/{family.name}.md#{manual.heading.lower().replace(' ', '-')}"
        for family in FAMILIES
        for manual in family.page.manuals.values()
    }
    assert len(linked) == len(shipped_rules())
    assert set(linked) == headings == set(links().values())


def test_the_index_keeps_what_is_written_around_its_tables():
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert index(page) == page
    assert page.startswith("# Rules\n")


@pytest.mark.parametrize("rule", shipped_rules(), ids=lambda rule: rule.code)
def test_a_manual_is_no_wider_than_the_terminal_but_for_examples(rule):
    lines = rule.manual.text(60).split("\n")
    assert max(len(line) for line in lines if not line.startswith("    ")) <= 60
    assert lines[0] == f"{rule.code} {rule.name} ({rule.severity})"


def test_a_manual_says_what_is_found_why_and_what_to_write():
    rule = rule_book().by_selector["BC101"]
    said = " ".join(rule.manual.text().split())
    manual = rule.manual
    for part in (manual.finds, manual.why, manual.instead, "- polcy: small", "+ policy: small"):
        assert part in said


def test_characters_nobody_sees_are_shown():
    text = rule_book().by_selector["hidden-character"].manual.text()
    assert "⟨U+200B⟩" in text
    assert all(sign == "\n" or sign.isprintable() for sign in text)
