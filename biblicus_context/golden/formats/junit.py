"""A report as JUnit XML, which CI servers show as a list of tests."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from biblicus_context.base.xml_text import xml_text
from biblicus_context.golden.formats.text import failure_lines
from biblicus_context.golden.report import FileReport, GoldenReport, Verdict


def render(report: GoldenReport) -> str:
    """One suite for each file, one test for each case; a file that could not be run is one, too."""
    suites = Element("testsuites", name="biblicus-context test")
    suites.extend(_suite(file) for file in report.files)
    for key in ("tests", "failures", "errors", "skipped"):
        suites.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    suites.set("time", f"{report.seconds:.3f}")
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}'


def _suite(file: FileReport) -> Element:
    suite = Element("testsuite", name=xml_text(file.file))
    suite.extend(_case(file.file, verdict) for verdict in file.verdicts)
    for trouble in file.troubles:
        case = SubElement(
            suite, "testcase", classname=xml_text(file.file), name="file", time="0.000"
        )
        _say(case, "error", trouble.text, trouble.text)
    counted = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    suite.set("tests", str(len(suite)))
    for key, tag in counted.items():
        suite.set(key, str(sum(case.find(tag) is not None for case in suite)))
    suite.set("time", f"{sum(verdict.seconds for verdict in file.verdicts):.3f}")
    return suite


def _case(file: str, verdict: Verdict) -> Element:
    case = Element(
        "testcase",
        classname=xml_text(file),
        name=xml_text(verdict.name),
        file=xml_text(file),
        line=str(verdict.line),
        time=f"{verdict.seconds:.3f}",
    )
    match verdict.status:
        case "skipped":
            SubElement(case, "skipped", message=xml_text(verdict.reason))
        case "error":
            _say(case, "error", verdict.troubles[0].text, _joined(verdict))
        case "failed":
            first = verdict.failures[0]
            _say(case, "failure", f"{first.expectation}: {first.problem}", _failures(file, verdict))
    return case


def _failures(file: str, verdict: Verdict) -> str:
    rows = (row.text for failure in verdict.failures for row in failure_lines(file, failure))
    return "\n".join(rows)


def _joined(verdict: Verdict) -> str:
    return "\n".join(trouble.text for trouble in verdict.troubles)


def _say(case: Element, tag: str, message: str, text: str) -> None:
    element = SubElement(case, tag, type=tag, message=xml_text(message))
    element.text = xml_text(text)
