"""A report in text, JSON and JUnit XML."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from biblicus_context.golden import FileReport, GoldenOptions, GoldenReport, Verdict
from biblicus_context.golden.formats import json as json_format, junit
from biblicus_context.golden.formats.text import lines
from biblicus_context.golden.report import Trouble, UnmetExpectation
from tests.golden.projects import Folder

XSD = xmlschema.XMLSchema(str(Path(__file__).with_name("junit.xsd")))
HOSTILE = "a\x00b\x1b[31m <&> \ud800 ]]> \"quoted\" 'single'\nnext"
FAILED = Verdict(
    HOSTILE,
    3,
    5,
    "failed",
    failures=(
        UnmetExpectation(4, 7, "expect.contains", HOSTILE, HOSTILE, HOSTILE, (HOSTILE, "-a", "+b")),
    ),
)
REPORTS = [
    GoldenReport(()),
    GoldenReport((FileReport("a.test.yaml"),)),
    GoldenReport((FileReport(HOSTILE, verdicts=(FAILED,)),), orphans=("b.yaml",)),
    GoldenReport(
        (FileReport("a.test.yaml", troubles=(Trouble("a.test.yaml", None, None, HOSTILE),)),)
    ),
]


@pytest.fixture
def report(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> GoldenReport:
    monkeypatch.chdir(folder.path)
    folder.path = Path()
    folder.test_file(
        """\
          - {name: passes}
          - {name: fails, expect: {contains: suport agent, snapshot: true}}
          - {name: is skipped, skip: later}
          - {name: cannot be run, context: nowhere}
          - {name: has turns, turns: [{}, {expect: {user_message: Hm}}]}
        """
    )
    folder.write("contexts/y.test.yaml", "kind: contexts-test\ncaes: []\n")
    return folder.run()


def test_text_tells_files_failures_and_counts(report: GoldenReport) -> None:
    text = [line.text for line in lines(report, 80)]
    assert text[:8] == [
        "contexts/x.test.yaml: 1 passed, 2 failed, 1 could not be run, 1 skipped",
        "  failed: fails",
        "    contexts/x.test.yaml:13:26 expect.contains: the text is not there",
        "      expected: 'suport agent'",
        "      found:    closest: 'support agent.'",
        "    contexts/x.test.yaml:13:50 expect.snapshot: the snapshot is missing",
        "      expected: a snapshot; write it with: biblicus-context test contexts/x.test.yaml --update",
        "",
    ]
    assert text[8].startswith("    support · o200k_base · ")
    assert "  skipped: is skipped: later" in text
    assert "  error: cannot be run" in text
    assert "    contexts/x.test.yaml:16:43 expect.user_message (turn 2): the text differs" in text
    assert "      -Hm" in text
    assert text[-3] == "contexts/y.test.yaml: could not be run"
    assert text[-2].startswith("  error: contexts/y.test.yaml:2:1: unknown key: found 'caes'")
    assert text[-1] == (
        "1 passed, 2 failed, 1 could not be run, 1 skipped; 1 file that could not be run"
    )


def test_text_tells_what_became_of_snapshots_and_what_was_left_out() -> None:
    file = FileReport("a", deselected=2, written=("new",), removed=("old",), obsolete=("older",))
    text = [line.text for line in lines(GoldenReport((file,), orphans=("b.yaml",)), 80)]
    assert text == [
        "  wrote snapshot: new",
        "  removed snapshot: old",
        "  obsolete snapshot: older",
        "obsolete b.yaml: its tests no longer exist; delete it",
        "no cases; 2 cases not selected; 1 snapshot written",
    ]


def test_what_is_wrong_with_plans_is_told_once_for_all_their_tests(folder: Folder) -> None:
    folder.write("contexts/mistake.yaml", "kind: context\nname: a\npolcy: b\n")
    for name in ("a", "b"):
        folder.test_file("  - {name: it}\n", f"contexts/{name}.test.yaml")
    text = [line.text for line in lines(folder.run(), 80)]
    assert [each for each in text if "polcy" in each] == [text[1]]
    assert text[2].endswith("b.test.yaml: could not be run")
    assert text[3:] == ["  error: as above", "no cases; 2 files that could not be run"]


def test_the_receipt_is_left_out_where_only_the_snapshot_is_another_one(folder: Folder) -> None:
    folder.test_file("  - {name: it, expect: {snapshot: true}}\n")
    text = [line.text for line in lines(folder.run(), 80)]
    assert not any("o200k_base" in line for line in text)


def test_json_says_everything_and_nothing_that_depends_on_time(report: GoldenReport) -> None:
    document = json.loads(json.dumps(json_format.document(report)))
    assert document["version"] == 1
    assert document["counts"] == {"passed": 1, "failed": 2, "error": 1, "skipped": 1}
    first, second = document["files"]
    names = [case["name"] for case in first["cases"]]
    assert names == ["passes", "fails", "is skipped", "cannot be run", "has turns"]
    failure = first["cases"][1]["failures"][0]
    assert (failure["line"], failure["column"]) == (13, 26)
    assert failure["expectation"] == "expect.contains"
    assert first["cases"][1]["receipt"]["budget"] == 90
    assert first["cases"][0]["receipt"] is None
    assert second["troubles"][0]["line"] == 2
    assert "seconds" not in json.dumps(document)


def test_junit_has_a_test_for_each_case_and_for_each_file_that_could_not_be_run(
    report: GoldenReport,
) -> None:
    suites = ET.fromstring(junit.render(report))
    first, second = suites
    assert {key: suites.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "6",
        "failures": "2",
        "errors": "2",
        "skipped": "1",
    }
    assert [[child.tag for child in case] for case in first] == [
        [],
        ["failure"],
        ["skipped"],
        ["error"],
        ["failure"],
    ]
    assert first[1].get("line") == "13"
    assert "closest: 'support agent.'" in (first[1][0].text or "")
    assert second[0].get("name") == "file"


@pytest.mark.parametrize("report", REPORTS, ids=["nothing", "empty", "hostile", "trouble"])
def test_any_report_is_valid_junit_and_json(report: GoldenReport) -> None:
    text = junit.render(report)
    text.encode("utf-8")
    XSD.validate(text)
    json.dumps(json_format.document(report))
    assert all(isinstance(line.text, str) for line in lines(report, 40))


def test_a_real_report_is_valid_junit(report: GoldenReport) -> None:
    XSD.validate(junit.render(report))


def test_the_schema_refuses_what_is_no_junit() -> None:
    assert not XSD.is_valid("<testsuites><testsuite><test/></testsuite></testsuites>")


def test_colours_say_what_is_good_and_what_is_bad(report: GoldenReport) -> None:
    tones = {line.text: line.tone for line in lines(report, 80)}
    assert tones["  failed: fails"] == "bad"
    assert tones["      -Hm"] == "bad"
    assert tones["      +Question: What now?"] == "good"
    passed = GoldenReport((FileReport("a", verdicts=(Verdict("it", 1, 1, "passed"),)),))
    assert [line.tone for line in lines(passed, 80)] == ["bold", "good"]


def test_snapshots_are_written_only_where_that_is_wanted(
    report: GoldenReport, folder: Folder
) -> None:
    assert not (folder.path / "contexts" / "__snapshots__").exists()
    assert folder.run(GoldenOptions(update=True)).files[0].written == ("fails",)
