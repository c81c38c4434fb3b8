"""The manuals: in a terminal, and as a page made from the rules themselves."""

from __future__ import annotations

import re

import pytest

from biblicus_context.lint.engine.manual import manual, printable
from biblicus_context.lint.engine.rule_book import rule_book
from biblicus_context.lint.rules import shipped_rules
from generators.rule_pages import links, pages


def test_every_manual_is_linked_in_the_index_and_is_on_the_page_of_its_family():
    index, *families = pages().items()
    headings = {
        f"{path}#{heading.lower().replace(' ', '-')}"
        for path, text in families
        for heading in re.findall(r"^## (.+)$", text, re.M)
    }
    linked = set(re.findall(r"\((rules/[\w-]+\.md#[\w-]+)\)", index[1]))
    assert linked == headings == set(links().values())
    assert len(linked) == len(shipped_rules())


@pytest.mark.parametrize("rule", shipped_rules(), ids=lambda rule: rule.code)
def test_a_manual_is_no_wider_than_the_terminal_but_for_examples(rule):
    lines = manual(rule, 60).split("\n")
    assert max(len(line) for line in lines if not line.startswith("    ")) <= 60
    assert lines[0] == f"{rule.code} {rule.name} ({rule.severity})"


def test_a_manual_says_what_is_found_why_and_what_to_write():
    text = manual(rule_book().by_selector["unknown-key"])
    rule = rule_book().by_selector["BC101"]
    said = " ".join(text.split())
    for part in (rule.finds, rule.why, rule.instead, "polcy: small", "policy: small"):
        assert part in said


def test_characters_nobody_sees_are_shown():
    assert printable("a\u200b\x07\u202e\tö日\n") == "a\\u200b\\u0007\\u202e\\u0009ö日\n"
