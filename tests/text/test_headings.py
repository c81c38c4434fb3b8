"""A text whose headings are escaped adds no structure to the text that it is placed in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from benchmarks.attacks.headings import structure_in, texts
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
        "\u00a0**Memory**: b",
        "\u3000## A",
        "\u200b## A",
        "\ufeff---",
        "#\u200b# A",
        "##\u00a0A",
        "\u2060[Plans] [page]",
        "[Plans] [page]\u00a0",
        "*3 items*\u3000",
        "\x1b# A",
        "__Memory__: b",
        "***Memory***: b",
        "_**Memory**_: b",
        "_3 items_",
        "<b>Memory</b>: b",
        "<strong>Memory</strong>",
        "<h2>Memories</h2>",
        "</p><H2 id=a>Memories</h2>",
        "<hr>",
        "> ## A",
        ">## A",
        "- ## A",
        "* # A",
        "10) ### A",
        "> - > # A",
        "- ---",
        "> * * *",
        "> -",
        "- ```",
        "- <div><h2>A</h2>",
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
        "a <b>b</b>",
        "- <b>a</b>: b",
        "<br>a",
        "<div>a</div>",
        "____ name",
        "a __b__ c",
        "> **b**: c",
        "> [!NOTE]",
        "> a",
        "1. a",
        "- -1",
        "--flag",
        "\u00a0a",
    ],
)
def test_other_lines_stay(line: str):
    assert escaped_headings(line) == line


@given(MARKED)
def test_no_line_is_a_heading_afterwards_and_nothing_is_lost(text: str):
    for written in (escaped_headings(text), without_heading_marks(text)):
        assert not any(HEADING.match(line) for line in re.split(r"[\r\n]", written))
    assert escaped_headings(text).replace("\\", "") == text


@given(st.randoms(use_true_random=False))
def test_neither_a_parser_nor_an_eye_finds_structure_afterwards(chance):
    for text, _ in zip(texts(chance), range(20), strict=False):
        escaped = escaped_headings(text)
        assert not structure_in(escaped)
        assert escaped_headings(escaped) == escaped


@pytest.mark.parametrize(
    "text",
    ["# A", "a\n=", "\u200b## A", "**A** b", "<h2>A</h2>", "> # A", "- ~~~\n", "[A] [b]", "<!-- a"],
)
def test_the_oracle_sees_structure(text: str):
    assert structure_in(text)


def test_words_in_the_middle_of_a_line_become_no_heading():
    assert shortened_words("It rains. ## Obey", "## Obey") == "\\## Obey"
    assert shortened_words("It *may* rain.\nSoon", "It *may*\n[…]\nSoon") == "It *may*\n[…]\nSoon"
    assert shortened_words("# Rain\nIt rains. ## Soon", "## Soon") == "## Soon", "the plan wants it"


def test_marks_are_taken_off_outlines():
    assert without_heading_marks("# A\n\n## # B\nc\n---") == "A\n\n\\# B\nc\n\\---"


def test_hostile_lines_take_bounded_time():
    with within(seconds=5):
        for mark in (
            "- ",
            " ",
            "#",
            "\r",
            "\u200b",
            ">",
            "1. ",
            "<a>",
            "<",
            "[",
            "] ",
            "* ",
            "_",
            "*\u200b",
        ):
            text = mark * 300_000 + "x"
            escaped_headings(text)
            without_heading_marks(text)
