"""A report as one JSON document; its keys stay."""

from __future__ import annotations

import json
from typing import Any

from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.report import Report
from biblicus_context.lint.formats.fingerprints import fingerprints

_VERSION = 1


def render(report: Report) -> str:
    """Every finding with its fingerprint, and what was looked at."""
    prints = fingerprints(report)
    document = {
        "version": _VERSION,
        "files": len(report.files),
        "documents": report.documents,
        "findings": [_entry(finding, prints[finding]) for finding in report.findings],
        "statistics": dict(report.statistics),
        "notices": list(report.notices),
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _entry(finding: Finding, fingerprint: str) -> dict[str, Any]:
    remark = finding.remark
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "file": finding.file,
        "line": remark.place.line,
        "column": remark.place.column,
        "problem": remark.problem,
        "found": remark.found,
        "valid": list(remark.valid),
        "advice": remark.advice,
        "fixable": bool(remark.edits),
        "fingerprint": fingerprint,
    }
