"""What has to hold of the linter for any text."""

from __future__ import annotations

import json
import re

from hypothesis import HealthCheck, given, settings, strategies as st

from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.fixes import apply_fixes
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.lint.rules import files, names, shipped_rules
from biblicus_context.reading import load_project, read_documents
from tests.lint.linting import report_of
from tests.reading.mutations import with_one_mistake

BY_THE_READER = {rule.code for rule in (*files.FOUND_BY_READER, *names.FOUND_BY_READER)}
EXAMPLES = [
    text for rule in shipped_rules() for text in (rule.manual.bad, rule.manual.good) if text
]

_LINES = [line for text in EXAMPLES for line in text.splitlines(keepends=True)]
_SIGNS = st.sampled_from([*"ab:-?[]{},#&*!|>'\"%@` \t\n\r\\x0{}~<=é\u200b\u2028\x00😀", "\ud83d"])


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """An example with some lines lost, doubled, taken from elsewhere, or with other signs in it."""
    lines = draw(st.sampled_from(EXAMPLES)).splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(lines)))
        match draw(st.sampled_from(["lose", "add", "double", "sign"])):
            case "lose":
                del lines[at : at + 1]
            case "add":
                lines.insert(at, draw(st.sampled_from(_LINES)))
            case "double":
                lines[at:at] = lines[at : at + 2]
            case "sign":
                line = lines[at] if at < len(lines) else ""
                cut = draw(st.integers(0, len(line)))
                lines[at : at + 1] = [line[:cut] + draw(_SIGNS) + line[cut:]]
    return "".join(lines)


def _is_loaded(folder) -> bool:
    try:
        load_project(folder / "plan.yaml")
    except LoadError:
        return False
    return True


def _holds(folder, text: str) -> None:
    report = report_of(folder, text)
    refused = {finding.code for finding in report.findings} & BY_THE_READER
    assert (not refused) is _is_loaded(folder)
    _is_sound(report, text)


def _is_sound(report: LintReport, text: str) -> None:
    lines = re.split(r"\r\n|\r|\n", text)
    order = [(each.file, each.place, each.code) for each in report.findings]
    assert order == sorted(order)
    for finding in report.findings:
        assert finding.code != "BC004", finding.problem
        assert 1 <= finding.place.line <= max(1, len(lines))
        assert finding.place.column >= 1


ANY_FOLDER = settings(
    max_examples=2 * settings().max_examples,
    suppress_health_check=[HealthCheck.function_scoped_fixture, *HealthCheck],
)


@ANY_FOLDER
@given(mutated())
def test_linting_never_raises_and_refuses_exactly_what_the_engine_refuses(tmp_path, text):
    _holds(tmp_path, text)


@ANY_FOLDER
@given(with_one_mistake())
def test_a_plan_with_one_mistake_is_refused_by_both_or_by_none(tmp_path, document):
    _holds(tmp_path, json.dumps(document))


@ANY_FOLDER
@given(st.one_of(st.text(max_size=60), st.text(_SIGNS, max_size=60)))
def test_any_text_at_all_is_answered(tmp_path, text):
    _holds(tmp_path, text)


@ANY_FOLDER
@given(mutated())
def test_what_is_put_right_stays_so(tmp_path, text):
    for _ in range(10):
        better = apply_fixes(text, report_of(tmp_path, text).findings)
        if not better.applied:
            return
        text = better.text
    raise AssertionError("there is always something left to put right")


@ANY_FOLDER
@given(mutated())
def test_what_is_put_right_in_shape_and_names_declares_the_same(tmp_path, text):
    report = report_of(tmp_path, text, LintSettings(select=("BC0", "BC1", "BC2")))
    assert _declared(apply_fixes(text, report.findings).text) == _declared(text)


def _declared(text: str) -> list[object]:
    return [
        found.problem if isinstance(found, LoadError) else found.declaration
        for found in read_documents(text, "plan.yaml")
    ]
