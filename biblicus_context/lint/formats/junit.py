"""A report as JUnit XML, which most CI servers show as a list of tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from biblicus_context.base.visible import one_line, visible
from biblicus_context.base.xml_text import xml_text
from biblicus_context.lint.engine.finding import Finding, Severity
from biblicus_context.lint.engine.report import LintReport


def render(report: LintReport) -> str:
    """One test for each finding, which fails unless it is a note, and one for each clean file."""
    suite = Element("testsuite", name="biblicus-context lint")
    failed = 0
    by_file = {file: list(found) for file, found in groupby(report.findings, attrgetter("file"))}
    for file in dict.fromkeys((*report.files, *by_file)):
        for case in _cases(file, by_file.get(file, ())):
            suite.append(case)
            failed += len(case.findall("failure"))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(failed))
    suite.set("errors", str(len(report.notices)))
    suite.set("time", f"{report.seconds:.3f}")
    if report.notices:
        SubElement(suite, "system-err").text = xml_text("\n".join(map(one_line, report.notices)))
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    return tostring(suites, encoding="unicode", xml_declaration=False)


def _cases(file: str, findings: Sequence[Finding]) -> Iterator[Element]:
    for finding in findings:
        yield _case(finding)
    if not findings:
        yield Element(
            "testcase",
            classname=xml_text(visible(file)),
            name="clean",
            file=xml_text(visible(file)),
        )


def _case(finding: Finding) -> Element:
    line, column = finding.place
    case = Element(
        "testcase",
        classname=xml_text(visible(finding.file)),
        name=f"{finding.code} {finding.name} {line}:{column}",
        file=xml_text(visible(finding.file)),
        line=str(line),
    )
    text = xml_text(finding.sentence)
    if finding.severity is Severity.NOTE:
        SubElement(case, "system-out").text = text
    else:
        failure = SubElement(case, "failure", type=finding.code, message=text)
        failure.text = xml_text(f"{visible(finding.file)}:{line}:{column}: {text}")
    return case
