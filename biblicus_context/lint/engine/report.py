"""What one run of the linter comes to; formats print it, the command takes its exit code from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from biblicus_context.lint.engine.finding import Finding, Severity
from biblicus_context.lint.engine.rule import Rule


@dataclass(frozen=True, slots=True)
class Report:
    """Findings, and what was looked at to find them."""

    findings: tuple[Finding, ...]
    """By file, line, column and code; what is allowed or ignored is not among them."""
    rules: tuple[Rule, ...]
    """Every rule that was applied, by code."""
    files: tuple[str, ...]
    """Every file that was checked, in order."""
    documents: int
    """How many documents of these files could be read."""
    seconds: float
    texts: Mapping[str, str]
    """What stood in each file with findings when it was read, for code frames and fingerprints."""
    notices: tuple[str, ...] = ()
    """What kept rules from being applied at all, such as a package of rules that does not load."""

    @property
    def failed(self) -> bool:
        """Whether a run with this report has to fail: notes alone do not matter."""
        return bool(self.notices) or any(
            finding.severity is not Severity.NOTE for finding in self.findings
        )

    @property
    def statistics(self) -> Mapping[str, int]:
        """How many findings there are of each code, most first."""
        codes = sorted(finding.code for finding in self.findings)
        return dict(Counter(codes).most_common())
