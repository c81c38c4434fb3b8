"""A report as one JSON document, whose keys are stable."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from biblicus_context.base.visible import CONTROLS
from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.report import LintReport

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


_LONGEST = 4_096


def fingerprints(report: LintReport) -> Mapping[Finding, str]:
    """A fingerprint for each finding; edits elsewhere in the file do not change it."""
    seen: Counter[tuple[str, str, str]] = Counter()
    lines = {file: [*map(_brief, text.splitlines())] for file, text in report.texts.items()}
    prints = {}
    for finding in report.findings:
        # Findings with the same code and line text are distinguished by their order in the file.
        alike = (finding.file, finding.code, _line(lines.get(finding.file, ()), finding))
        prints[finding] = _digest(*alike, str(seen[alike]))
        seen[alike] += 1
    return prints


def _brief(line: str) -> str:
    """A line as fingerprints contain it; a long one in brief, as it may have many findings."""
    line = line.strip()
    return line if len(line) <= _LONGEST else _digest(line)


def _line(lines: list[str] | tuple[()], finding: Finding) -> str:
    number = finding.place.line
    return lines[number - 1] if number <= len(lines) else ""


def _digest(*parts: str) -> str:
    content = "\0".join(parts).encode("utf-8", errors="replace")
    return blake2b(content, digest_size=16).hexdigest()
