"""The result of a run; formats print it, and the command takes its exit status from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from biblicus_context.lint.engine.finding import Finding, Severity
from biblicus_context.lint.engine.rule import Rule


@dataclass(frozen=True, slots=True)
class LintReport:
    """The findings of a run, and what was checked."""

    findings: tuple[Finding, ...]
    """Sorted by file, line, column and code, without suppressed and ignored ones."""
    rules: tuple[Rule, ...]
    """Every rule that was applied, by code."""
    files: tuple[str, ...]
    """Every file that was checked, in order."""
    documents: int
    """The number of documents that could be read in these files."""
    seconds: float
    texts: Mapping[str, str]
    """The text of each file with findings, as it was read: for code frames and fingerprints."""
    notices: tuple[str, ...] = ()
    """Why rules did not run, such as a package of rules that does not load."""

    roots: tuple[Path, ...] = ()
    """The paths that were passed; fixes change nothing outside them."""

    @property
    def failed(self) -> bool:
        """Whether the run fails; notes alone do not fail it."""
        return bool(self.notices) or any(
            finding.severity is not Severity.NOTE for finding in self.findings
        )

    @property
    def statistics(self) -> Mapping[str, int]:
        """The number of findings of each code, most frequent first."""
        codes = sorted(finding.code for finding in self.findings)
        return dict(Counter(codes).most_common())
