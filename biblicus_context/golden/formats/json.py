"""A report as one JSON document; its keys stay, and nothing in it depends on time."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from biblicus_context.golden.report import FileReport, GoldenReport, Verdict

_VERSION = 1


def document(report: GoldenReport) -> dict[str, Any]:
    """Every case of every file, and how many there are of which kind."""
    return {
        "version": _VERSION,
        "counts": {**report.counts},
        "files": [_file(file) for file in report.files],
        "orphans": [*report.orphans],
    }


def _file(file: FileReport) -> dict[str, Any]:
    return {
        "file": file.file,
        "troubles": [asdict(trouble) for trouble in file.troubles],
        "cases": [_case(verdict) for verdict in file.verdicts],
        "deselected": file.deselected,
        "snapshots": {
            "written": [*file.written],
            "removed": [*file.removed],
            "obsolete": [*file.obsolete],
        },
    }


def _case(verdict: Verdict) -> dict[str, Any]:
    receipt = verdict.receipt
    return {
        "name": verdict.name,
        "line": verdict.line,
        "column": verdict.column,
        "status": verdict.status,
        "reason": verdict.reason,
        "failures": [asdict(failure) for failure in verdict.failures],
        "troubles": [asdict(trouble) for trouble in verdict.troubles],
        "receipt": receipt and receipt.to_json(),
    }
