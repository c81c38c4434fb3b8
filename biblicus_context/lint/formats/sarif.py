"""A report as SARIF 2.1.0, which code scanning services read."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import PurePath
from typing import Any, TypeAlias
from urllib.parse import quote

from biblicus_context.lint.engine.finding import Edit, Finding, Severity
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.engine.rule import Rule
from biblicus_context.lint.formats.json import fingerprints, json_text

_Object: TypeAlias = dict[str, Any]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_ROOT = "%SRCROOT%"


def render(report: LintReport) -> str:
    """One run, with the manual of every rule and a fingerprint for every result."""
    prints = fingerprints(report)
    numbers = {rule.code: number for number, rule in enumerate(report.rules)}
    run = {
        "tool": {"driver": _driver(report)},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": _location(file)} for file in report.files],
        "results": [_result(each, prints[each], numbers) for each in report.findings],
        "invocations": [_invocation(report)],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(document)


def _driver(report: LintReport) -> _Object:
    return {
        "name": "biblicus-context",
        "semanticVersion": version("biblicus-context"),
        "rules": [_rule(rule) for rule in report.rules],
    }


def _rule(rule: Rule) -> _Object:
    manual = rule.manual
    text = f"{manual.finds}\n\n{manual.why}\n\n{manual.instead}"
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": manual.finds},
        "fullDescription": {"text": manual.why},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, fingerprint: str, numbers: Mapping[str, int]) -> _Object:
    result: _Object = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.sentence},
        "locations": [_physical(finding)],
        "partialFingerprints": {"biblicusContext/v1": fingerprint},
    }
    if finding.code in numbers:
        result["ruleIndex"] = numbers[finding.code]
    if finding.edits:
        result["fixes"] = [_fix(finding)]
    return result


def _physical(finding: Finding) -> _Object:
    line, column = finding.place
    region = {"startLine": line, "startColumn": column}
    return {"physicalLocation": {"artifactLocation": _location(finding.file), "region": region}}


def _fix(finding: Finding) -> _Object:
    change = {
        "artifactLocation": _location(finding.file),
        "replacements": [_replacement(edit) for edit in finding.edits],
    }
    text = finding.advice or finding.problem
    return {"description": {"text": text}, "artifactChanges": [change]}


def _replacement(edit: Edit) -> _Object:
    deleted = {
        "startLine": edit.start.line,
        "startColumn": edit.start.column,
        "endLine": edit.end.line,
        "endColumn": edit.end.column,
    }
    return {"deletedRegion": deleted, "insertedContent": {"text": edit.text}}


def _location(file: str) -> _Object:
    path = PurePath(file)
    uri = quote(path.as_posix(), errors="replace")
    return {"uri": f"file://{uri}"} if path.is_absolute() else {"uri": uri, "uriBaseId": _ROOT}


def _invocation(report: LintReport) -> _Object:
    notes = [{"level": "warning", "message": {"text": notice}} for notice in report.notices]
    return {"executionSuccessful": not notes, "toolExecutionNotifications": notes}
