"""Comments that suppress findings, and the findings about comments that do not work."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.lint.engine.fixes import apply_fixes
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.lint.engine.suppressions import MAX_SUPPRESSIONS, parse_suppressions
from tests.lint.linting import CLEAN, found, named, only, report_of
from tests.pace import within

TWO = """\
kind: context
name: support
description: {first}
messages:
  - {{type: system, content: {second}}}
  - {{type: user, content: "{{input.question}}"}}
"""


def test_a_comment_at_the_end_of_a_line_allows_what_is_found_there(tmp_path):
    text = CLEAN.replace("name: support", "name: off  # lint: allow BC141 its name")
    assert report_of(tmp_path, text).findings == ()


def test_a_comment_in_the_line_above_allows_as_well(tmp_path):
    text = CLEAN.replace("name:", "# lint: allow ambiguous-value its name\n\n# more\nname:")
    assert report_of(tmp_path, text.replace("support\n", "off\n", 1)).findings == ()


def test_a_comment_for_the_file_allows_everywhere(tmp_path):
    text = f"# lint: allow-file BC141 made by a program\n{TWO}".format(first="off", second="on")
    assert report_of(tmp_path, text).findings == ()


def test_a_comment_allows_nothing_in_other_lines(tmp_path):
    text = TWO.format(first="off # lint: allow BC141 a state", second="on")
    assert found(report_of(tmp_path, text)) == [("BC141", 5)]


def test_a_comment_allows_nothing_of_other_rules(tmp_path):
    text = CLEAN.replace("name: support", "polcy: 1  # lint: allow BC141 a word")
    assert found(report_of(tmp_path, text), "BC101") == [("BC101", 2)]


def test_several_rules_are_allowed_with_commas(tmp_path):
    text = named("'off\\n\\n on '  # lint: allow BC145 , extra-whitespace-in-name of a machine")
    report = report_of(tmp_path, text)
    assert report.findings == ()


def test_a_comment_above_a_text_of_several_lines_is_for_all_of_it():
    text = "a: 1\n# lint: allow BC401 new\nb: |  # x\n  one\n  two\n\nc: 2\n"
    assert parse_suppressions(text)[0].lines == range(3, 7)


def test_a_comment_behind_the_sign_of_a_block_is_for_all_of_it():
    assert parse_suppressions("b: >-  # lint: allow BC401 new\n  one\n  two")[0].lines == range(
        1, 4
    )


def test_a_comment_behind_the_end_of_a_text_is_for_all_of_it():
    text = "b: 'one\n\n  two'  # lint: allow BC401 new\nc: x\n"
    assert parse_suppressions(text)[0].lines == range(1, 4)


@pytest.mark.parametrize(
    "text",
    [
        "a: |\n  # lint: allow BC101 x\n",
        "a: |\n  one # lint: allow BC101 x\n\n  two\n",
        "a: >2\n  x\n   # lint: allow BC101 x\n",
        'a: "one # lint: allow BC101 x"\n',
        "a: 'one\n  # lint: allow BC101 x\n  two'\n",
        "a: one#lint: allow BC101\n",
        "# lint allow BC101\n",
    ],
)
def test_what_stands_inside_of_a_text_is_no_comment(text):
    assert parse_suppressions(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "a: |\n  one\n# lint: allow BC101 x\nb: 1\n",
        "a: |\n  one\n\n# lint: allow BC101 x\n",
        "- |\n  one\n # lint: allow BC101 x\n",
        "a: 'one' # lint: allow BC101 x\n",
        "a: one # lint: allow BC101 x\n",
        "a: [one, # lint: allow BC101 x\n two]\n",
        "#lint: allow BC101 x\n",
        "a: 1\n--- # lint: allow BC101 x\nb: 'open\n",
        "%YAML 1.2\n--- # lint: allow BC101 x\n",
    ],
)
def test_what_stands_outside_of_texts_is_one(text):
    (suppression,) = parse_suppressions(text)
    assert (suppression.selectors, suppression.reason) == (("BC101",), "x")


def test_a_reason_may_follow_a_colon_and_ends_at_the_next_comment():
    (suppression,) = parse_suppressions("a: 1 # lint: allow BC101: as we like # and more\n")
    assert suppression.reason == "as we like"


def test_an_unused_comment_is_reported(tmp_path):
    finding = only(report_of(tmp_path, f"{CLEAN}# lint: allow-file BC141, BC142 odd\n"))
    assert (finding.code, finding.place) == ("BC001", (6, 1))
    assert finding.problem == "unused suppression in this file: BC141, BC142"


def test_only_the_unused_codes_of_a_comment_are_reported(tmp_path):
    text = named("off # lint: allow BC141, BC143 its name")
    finding = only(report_of(tmp_path, text))
    assert finding.problem == "unused suppression: BC143"
    assert finding.edits == ()


def test_a_comment_about_a_rule_that_is_not_applied_is_left_alone(tmp_path):
    text = f"{CLEAN}# lint: allow-file BC141 odd\n"
    assert report_of(tmp_path, text, LintSettings(ignore=("BC141",))).findings == ()
    assert report_of(tmp_path, text, LintSettings(select=("BC0", "BC2"))).findings == ()
    assert report_of(tmp_path, text, LintSettings(per_file={"*.yaml": ("BC141",)})).findings == ()


def test_a_file_with_mistakes_says_nothing_of_comments_without_use(tmp_path):
    text = f"{CLEAN}polcy: 1\n# lint: allow-file BC141 odd\n"
    assert found(report_of(tmp_path, text)) == [("BC101", 6)]


def test_an_unknown_code_is_found_with_the_nearest(tmp_path):
    finding = only(report_of(tmp_path, named("x # lint: allow ambiguos-value odd")))
    assert (finding.code, finding.found) == ("BC002", "ambiguos-value")
    assert "Did you mean 'ambiguous-value'?" in str(finding.advice)


@pytest.mark.parametrize("said", ["disable BC141", "allow", "alow BC141 x", "", "allow BC1 41,"])
def test_a_comment_that_cannot_be_understood_is_found(said, tmp_path):
    report = report_of(tmp_path, named(f"off # lint: {said}"))
    assert ("BC002", 2) in found(report)
    assert ("BC141", 2) in found(report)


def test_a_comment_without_a_reason_allows_and_is_found(tmp_path):
    finding = only(report_of(tmp_path, named("off # lint: allow BC141")))
    assert finding.code == "BC003"


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("name: support  # lint: allow BC141 odd\n", "name: support\n"),
        ("# lint: allow BC141 odd\nname: support\n", "name: support\n"),
        ("name: support  # lint: allow BC141 odd # ours\n", None),
    ],
)
def test_a_comment_without_use_can_be_taken_away(comment, left, tmp_path):
    text = CLEAN.replace("name: support\n", comment)
    report = report_of(tmp_path, text)
    assert [finding.code for finding in report.findings] == ["BC001"]
    assert apply_fixes(text, report.findings).text == (
        text if left is None else CLEAN.replace("name: support\n", left)
    )


def test_no_more_comments_are_heeded_than_anyone_reads():
    with within(2):
        assert len(parse_suppressions("# lint: allow BC101 x\n" * 40_000)) == MAX_SUPPRESSIONS


_PIECES = st.sampled_from(
    ["# lint: allow BC101 x", "a: |", "  text", "'", '"', "- b", "\n", "\n", " ", "---\n", "{", "#"]
)


@given(st.lists(_PIECES, max_size=20).map("".join))
def test_any_text_has_comments_at_places_inside_it(text):
    lines = text.split("\n")
    for suppression in parse_suppressions(text):
        line, column = suppression.place
        assert lines[line - 1][column - 1] == "#"
        assert suppression.lines is None or max(suppression.lines, default=1) <= len(lines)
