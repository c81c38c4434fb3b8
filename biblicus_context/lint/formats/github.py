"""A report as workflow commands, which GitHub shows next to the lines of a pull request."""

from __future__ import annotations

from biblicus_context.base.visible import visible
from biblicus_context.lint.engine.finding import Finding, Severity
from biblicus_context.lint.engine.report import LintReport

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: LintReport) -> str:
    """One command for each finding."""
    notices = (f"::warning::{_message(notice)}" for notice in report.notices)
    return "\n".join([*map(_command, report.findings), *notices])


def _command(finding: Finding) -> str:
    line, column = finding.place
    properties = {
        "file": finding.file,
        "line": str(line),
        "col": str(column),
        "title": f"{finding.code} {finding.name}",
    }
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {written}::{_message(finding.sentence)}"


def _message(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
