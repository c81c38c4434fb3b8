"""Forty small plans keep the receipts that people have reviewed, figure by figure."""

from __future__ import annotations

from pathlib import Path

from biblicus_context.golden import run_tests

PLANS = Path(__file__).parent / "receipts"


def test_every_plan_has_the_receipt_that_was_reviewed() -> None:
    report = run_tests([PLANS])
    assert report.counts["passed"] >= 40
    assert report.failed == report.could_not_run == report.counts["skipped"] == 0
    assert report.orphans == ()
    assert not any(file.obsolete for file in report.files)
