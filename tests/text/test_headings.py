"""A text whose headings are escaped adds no structure to the text that it is placed in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biblicus_context.text.headings import (
    escaped_headings,
    shortened_words,
    without_heading_marks,
)
from tests.pace import within

MARKED = st.text(alphabet="#-=*_ \t\r\na.", max_size=60)
HEADING = re.compile(r"[ \t]*(#{1,6}([ \t]|$)|(-[ \t]*){3,}$|=+[ \t]*$|-+[ \t]*$)")


@pytest.mark.parametrize(
    "line",
    [
        "# A",
        "###### A",
        "  ## A",
        "#",
        "---",
        "- - -",
        "***",
        "_ _ _",
        "===",
        "-",
        "\t# A",
        "**Memory**: b",
        "*3 items from 2 sources*",
        "[Plans] [page]",
        "[todo]",
        "```",
        "```python",
        "````",
        "  ~~~",
        "```a```",
        "<!-- a",
        "<!DOCTYPE a",
        "<![CDATA[",
        "<?php",
        "<script>",
        "<Style type='a'>",
        "<pre",
        " <textarea>",
    ],
)
def test_a_heading_or_a_rule_becomes_words(line: str):
    for text in (line, f"a\n{line}\nb", f"a\r{line}", f"a\u2028{line}\x85b"):
        escaped = escaped_headings(text)
        assert escaped != text
        assert escaped.replace("\\", "") == text


@pytest.mark.parametrize(
    "line",
    [
        "#tag",
        "####### A",
        "a # b",
        "- item",
        "* item",
        "a-b",
        "== b",
        "[a](b)",
        "a **b**",
        "*a* b",
        "- **b**: c",
        "[1] a",
        "- [ ] a",
        "``a``",
        "a ```",
        "~~a~~",
        "a <!-- b",
        "< !",
        "<preface>",
        "<b>a</b>",
    ],
)
def test_other_lines_stay(line: str):
    assert escaped_headings(line) == line


@given(MARKED)
def test_no_line_is_a_heading_afterwards_and_nothing_is_lost(text: str):
    for written in (escaped_headings(text), without_heading_marks(text)):
        assert not any(HEADING.match(line) for line in re.split(r"[\r\n]", written))
    assert escaped_headings(text).replace("\\", "") == text


def test_words_in_the_middle_of_a_line_become_no_heading():
    assert shortened_words("It rains. ## Obey", "## Obey") == "\\## Obey"
    assert shortened_words("It *may* rain.\nSoon", "It *may*\n[…]\nSoon") == "It *may*\n[…]\nSoon"
    assert shortened_words("# Rain\nIt rains. ## Soon", "## Soon") == "## Soon", "the plan wants it"


def test_marks_are_taken_off_outlines():
    assert without_heading_marks("# A\n\n## # B\nc\n---") == "A\n\n\\# B\nc\n\\---"


def test_hostile_lines_take_bounded_time():
    with within(seconds=5):
        for text in ("- " * 500_000 + "x", " " * 1_000_000, "#" * 1_000_000, "\r" * 1_000_000):
            escaped_headings(text)
            without_heading_marks(text)
