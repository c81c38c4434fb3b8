"""Texts, linted as files of a project of their own."""

from __future__ import annotations

from pathlib import Path

from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.engine.runner import lint
from biblicus_context.lint.engine.settings import LintSettings

CLEAN = """\
kind: context
name: support
messages:
  - {type: system, content: You are a support agent.}
  - {type: user, content: "{input.question}"}
"""
"""In which no rule finds anything."""


def named(name: str) -> str:
    """The clean text, with another name and whatever stands behind it."""
    return CLEAN.replace("support", name, 1)


def write(folder: Path, **files: str | bytes) -> Path:
    """Files by name without ending; two underscores stand for a folder."""
    for name, content in files.items():
        file = folder / f"{name.replace('__', '/')}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        file.write_bytes(data)
    return folder


def report_of(folder: Path, text: str | bytes, settings: LintSettings | None = None) -> LintReport:
    """What is found in a file of this text; the corpus `handbook` of many texts has a file."""
    write(folder, plan=text)
    (folder / "handbook").mkdir(exist_ok=True)
    (folder / "handbook" / "returns.md").write_text("Send it back.\n", encoding="utf-8")
    return lint([folder / "plan.yaml"], settings)


def found(report: LintReport, *codes: str) -> list[tuple[str, int]]:
    """Codes and lines, of these codes or families only where some are given."""
    return [
        (finding.code, finding.place.line)
        for finding in report.findings
        if not codes or finding.code.startswith(codes)
    ]


def only(report: LintReport) -> Finding:
    """The one finding there is."""
    (finding,) = report.findings
    return finding
