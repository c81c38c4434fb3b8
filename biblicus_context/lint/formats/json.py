"""A report as one JSON document, whose keys are stable."""

from __future__ import annotations

import json
from typing import Any

from biblicus_context.base.visible import CONTROLS
from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.formats.fingerprints import fingerprints

_VERSION = 1


def render(report: LintReport) -> str:
    """Every finding with its fingerprint, and what was checked."""
    prints = fingerprints(report)
    document = {
        "version": _VERSION,
        "files": len(report.files),
        "documents": report.documents,
        "findings": [_entry(finding, prints[finding]) for finding in report.findings],
        "statistics": dict(report.statistics),
        "notices": list(report.notices),
    }
    return json_text(document)


def _entry(finding: Finding, fingerprint: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "file": finding.file,
        "line": finding.place.line,
        "column": finding.place.column,
        "problem": finding.problem,
        "found": finding.found,
        "valid": list(finding.valid),
        "advice": finding.advice,
        "fixable": bool(finding.edits),
        "fingerprint": fingerprint,
    }


def json_text(document: dict[str, Any]) -> str:
    """A document as JSON; a control character is an escape, also where JSON lets it through."""
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
