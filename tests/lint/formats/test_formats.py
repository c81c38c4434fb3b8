"""Reports for programs: the formats that editors, CI servers and code scanning services read."""

from __future__ import annotations

import json as standard_json
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator

from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.formats import github, json, junit, sarif, text
from biblicus_context.reading.yaml.tree import Place
from tests.lint.formats.examples import EMPTY, HINT, MISSPELT, REPORTS, RULE, TEXT, report

_SCHEMA = standard_json.loads(
    Path(__file__).with_name("sarif-2.1.0.schema.json").read_text(encoding="utf-8")
)
_SARIF = Draft7Validator(_SCHEMA)


def test_json_says_everything_of_a_finding() -> None:
    document = standard_json.loads(json.render(report(MISSPELT, EMPTY)))
    first = document["findings"][0]
    assert re.fullmatch("[0-9a-f]{32}", first.pop("fingerprint"))
    assert first == {
        "code": "BC101",
        "name": "unknown-key",
        "severity": "error",
        "file": "contexts/a.yaml",
        "line": 3,
        "column": 1,
        "problem": "unknown key",
        "found": "polcy",
        "valid": ["name", "policy"],
        "advice": None,
        "fixable": False,
    }
    assert document["findings"][1]["fixable"] is True
    assert document["statistics"] == {"BC101": 1, "BC506": 1}
    assert (document["files"], document["documents"]) == (3, 4)


def test_github_shows_a_finding_beside_its_line() -> None:
    assert github.render(report(MISSPELT, EMPTY, HINT)).splitlines() == [
        "::error file=contexts/a.yaml,line=3,col=1,title=BC101 unknown-key"
        "::unknown key: found 'polcy'. Valid: name, policy. Did you mean 'policy'?",
        "::warning file=contexts/a.yaml,line=4,col=1,title=BC506 empty-plan"
        "::nothing is placed, 100%25. Remove it,%0Aor fill it.",
        "::notice file=contexts/b.yaml,line=1,col=1,title=BC900 hint::a hint",
    ]


def test_junit_has_a_failing_test_for_each_finding_and_a_passing_one_for_each_clean_file() -> None:
    suites = ET.fromstring(junit.render(report(MISSPELT, HINT, notices=("no plugin",))))
    suite = suites[0]
    assert [
        (case.get("classname"), [child.tag for child in case]) for case in suite.iter("testcase")
    ] == [
        ("contexts/a.yaml", ["failure"]),
        ("contexts/b.yaml", ["system-out"]),
        ("contexts/c.yaml", []),
    ]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")


def test_sarif_has_the_manual_of_the_rule_and_the_fix_of_the_finding() -> None:
    run = standard_json.loads(sarif.render(report(MISSPELT, EMPTY)))["runs"][0]
    assert run["tool"]["driver"]["rules"][0]["help"]["text"].startswith(RULE.manual.finds)
    misspelt, empty = run["results"]
    assert misspelt["ruleIndex"] == 0
    assert misspelt["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 3,
        "startColumn": 1,
    }
    change = empty["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change["deletedRegion"] == {
        "startLine": 4,
        "startColumn": 1,
        "endLine": 5,
        "endColumn": 1,
    }


@settings(deadline=None)
@given(REPORTS)
def test_every_report_is_valid_sarif_and_json_and_xml_and_one_line_a_finding(
    found: LintReport,
) -> None:
    document = standard_json.loads(sarif.render(found))
    errors = [error.message for error in _SARIF.iter_errors(document)]
    assert errors == []
    assert len(standard_json.loads(json.render(found))["findings"]) == len(found.findings)
    ET.fromstring(junit.render(found))
    lines = len(found.findings) + len(found.notices)
    assert len(re.findall("^::", github.render(found), re.MULTILINE)) == lines
    assert github.render(found).count("\n") == max(lines - 1, 0)


def test_the_path_of_a_file_is_a_proper_address() -> None:
    finding = replace(MISSPELT, file="my plans/ü #1.yaml")
    run = standard_json.loads(sarif.render(report(finding)))["runs"][0]
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "my%20plans/%C3%BC%20%231.yaml", "uriBaseId": "%SRCROOT%"}
    assert unquote(location["uri"]) == "my plans/ü #1.yaml"


def _print(text: str, line: int) -> str:
    moved = replace(MISSPELT, place=Place(line, 1), file="a.yaml")
    found = LintReport((moved,), (), ("a.yaml",), 1, 0.0, {"a.yaml": text})
    fingerprint = standard_json.loads(json.render(found))["findings"][0]["fingerprint"]
    assert isinstance(fingerprint, str)
    return fingerprint


def test_a_fingerprint_outlives_changes_elsewhere_in_the_file() -> None:
    assert _print(TEXT, 3) == _print(f"# a comment\n\n{TEXT}", 5)
    assert _print(TEXT, 3) != _print(TEXT.replace("polcy", "plicy"), 3)


@pytest.mark.parametrize("lines", [("x: 1", "x: 1")])
def test_findings_alike_have_fingerprints_of_their_own(lines: tuple[str, ...]) -> None:
    duplicates = tuple(replace(MISSPELT, place=Place(n, 1), file="a.yaml") for n in (1, 2))
    found = LintReport(duplicates, (), ("a.yaml",), 1, 0.0, {"a.yaml": "\n".join(lines)})
    entries = standard_json.loads(json.render(found))["findings"]
    assert entries[0]["fingerprint"] != entries[1]["fingerprint"]


_OWN_COLOUR = re.compile("\x1b\\[(?:[0-9]|3[0-9])?m")
_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@settings(deadline=None)
@given(REPORTS)
def test_no_character_of_data_can_steer_what_shows_a_report(found: LintReport) -> None:
    for render in (sarif.render, json.render, junit.render, github.render, text.render):
        assert not _STEERS.search(render(found))


@pytest.mark.parametrize("data", ["\x1b[31mred", "\x1b]8;;http://evil\x07", "\x9b2J", "a\u202eb"])
def test_an_escape_code_of_data_is_shown_as_an_escape_in_colour_too(data: str) -> None:
    shown = replace(MISSPELT, problem=data, found=data, file=data, place=Place(1, 1))
    report_ = LintReport((shown,), (), (data,), 1, 0.0, {data: data}, (data,))
    coloured = text.render(report_, text.TextStyle(colour=True))
    assert data not in coloured
    assert not _STEERS.search(_OWN_COLOUR.sub("", coloured))
    assert repr(data)[1:-1][:4] in coloured
