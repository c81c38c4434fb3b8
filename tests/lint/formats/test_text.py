"""Reports for people."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from biblicus_context.lint.engine.finding import Finding, Severity
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.formats import text
from biblicus_context.reading.yaml.tree import Place
from tests.lint.formats.examples import EMPTY, HINT, MISSPELT, REPORTS, report


def test_a_finding_shows_its_place_its_words_and_its_line() -> None:
    assert text.render(report(MISSPELT)) == (
        "contexts/a.yaml:3:1 error BC101 unknown-key\n"
        "  unknown key: found 'polcy'. Valid: name, policy. Did you mean 'policy'?\n"
        "  2 | name: support\n"
        "  3 | polcy: small\n"
        "    | ^^^^^\n"
        "\n"
        "1 error in 3 files, 4 documents"
    )


def test_nothing_found_is_said() -> None:
    assert text.render(report()) == "no findings in 3 files, 4 documents"


def test_statistics_count_by_code_and_the_last_line_by_severity() -> None:
    shown = text.render(report(MISSPELT, EMPTY, HINT, MISSPELT), statistics=True)
    assert shown.endswith(
        "     2  BC101  unknown-key\n"
        "     1  BC506  empty-plan\n"
        "     1  BC900  hint\n"
        "\n"
        "2 errors, 1 warning, 1 note in 3 files, 4 documents; 1 can be fixed with --fix"
    )


def test_colours_change_nothing_but_the_colours() -> None:
    plain = text.render(report(MISSPELT, EMPTY, notices=("no plugin",)))
    coloured = text.render(
        report(MISSPELT, EMPTY, notices=("no plugin",)), text.TextStyle(colour=True)
    )
    assert coloured != plain
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain


def _frame(line: str, column: int, width: int = 60, found: str | None = None) -> list[str]:
    finding = Finding(
        Place(1, column), "p", found, code="BC101", name="n", severity=Severity.ERROR, file="a.yaml"
    )
    made = LintReport((finding,), (), ("a.yaml",), 1, 0.0, {"a.yaml": line})
    return text.render(made, text.TextStyle(width)).split("\n\n")[0].splitlines()[2:]


def test_the_mark_stands_below_signs_of_double_width() -> None:
    assert _frame("名前: 漢字 x", 5) == ["  1 | 名前: 漢字 x", "    |       ^^^^^^"]


def test_what_is_far_to_the_right_is_brought_into_view() -> None:
    shown, mark = _frame("word " * 40 + "here", 201, width=50)
    assert shown.endswith("here")
    assert len(shown) <= 50
    assert mark.index("^") == shown.index("here")


def test_a_terminal_is_not_sent_what_would_confuse_it() -> None:
    shown, _ = _frame("a\x1b[31mb\tc", 1)
    assert shown == "  1 | a\\x1b[31mb    c"


@given(REPORTS, st.integers(20, 120))
def test_any_report_can_be_shown_in_any_width(found: LintReport, width: int) -> None:
    shown = text.render(found, text.TextStyle(width), statistics=True)
    assert shown.count("some-name") >= len(found.findings)


@pytest.mark.parametrize(
    ("line", "column", "marked"),
    [
        ("budget: 300", 1, "budget"),
        ("budget: 300", 9, "300"),
        ("config: {root: 5, hidden: no}", 9, "{root: 5, hidden: no}"),
        ("include: '*.md'  # all", 10, "'*.md'"),
        ("content: Be brief, please.  # tone", 10, "Be brief, please."),
        ("  - role: system", 5, "role"),
        ("- {type: user, content: [a, b]}", 25, "[a, b]"),
        ("messages: [{type: user,", 11, "[{type: user,"),
        ("packs: [kb one, kb_two]", 9, "kb one"),
        ("url: http://a.b/c#d", 6, "http://a.b/c#d"),
    ],
)
def test_the_mark_is_as_long_as_what_it_marks(line: str, column: int, marked: str) -> None:
    mark = _frame(line, column)[-1]
    assert mark.count("^") == len(marked)
    assert line[column - 1 :].startswith(marked)
