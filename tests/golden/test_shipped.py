"""The golden tests that travel with the package hold."""

from __future__ import annotations

import os
import subprocess
import sys

from biblicus_context.golden import run_tests
from biblicus_context.reading import load_project
from biblicus_context.reading.shipped import shipped


def test_the_shipped_contexts_are_what_their_tests_say() -> None:
    report = run_tests([shipped("contexts")])
    assert report.counts["passed"] >= 8
    assert report.failed == report.could_not_run == report.counts["skipped"] == 0
    assert report.orphans == ()
    assert not any(file.obsolete for file in report.files)


def test_every_shipped_context_is_under_test() -> None:
    files = shipped("contexts").rglob("*.test.yaml")
    tested = "\n".join(file.read_text(encoding="utf-8") for file in files)
    for name in load_project(shipped("contexts")).contexts:
        assert f"context: {name}" in tested


def test_the_result_does_not_depend_on_the_seed_of_hashes() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-m", "biblicus_context", "test", shipped("contexts"), "--format", "json"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(printed) == 1
