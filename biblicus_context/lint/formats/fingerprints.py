"""Fingerprints, by which a finding is recognised in the next version of its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b

from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.report import LintReport

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
