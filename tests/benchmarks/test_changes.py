"""`python -m benchmarks.changes`: the figures of two runs side by side."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.changes import main
from benchmarks.report import as_json
from benchmarks.targets import Target


def shown(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    before: list[Target],
    after: list[Target],
    *options: str,
) -> dict[str, list[str]]:
    """The lines below the title: the name of a figure, and what is next to it."""
    files = [folder / "before.json", folder / "after.json"]
    for file, targets in zip(files, (before, after), strict=True):
        file.write_text(json.dumps(as_json([], targets)), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["changes", *map(str, files), *options])
    main()
    _, *lines = capsys.readouterr().out.splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines}


def test_a_figure_of_both_runs_has_its_ratio_and_says_what_became_of_its_bound(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    before = [
        Target("build", 40.0, "ms", at_most=50),
        Target("recall", 0.5, "%", at_least=0.6),
        Target("stale", 0, "", at_most=0),
    ]
    after = [
        Target("build", 60.0, "ms", at_most=50),
        Target("recall", 0.75, "%", at_least=0.6),
        Target("stale", 0, "", at_most=0),
    ]
    assert shown(monkeypatch, capsys, tmp_path, before, after) == {
        "build": ["40.000", "ms", "60.000", "ms", "1.50", "now", "MISSED"],
        "recall": ["50.00%", "75.00%", "1.50", "now", "holds"],
        "stale": ["0", "0"],
    }


def test_figures_of_one_run_alone_are_shown_after_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    before, after = [Target("old", 1.0, "s"), Target("same", 2.0, "s")], [Target("same", 2.0, "s")]
    lines = shown(monkeypatch, capsys, tmp_path, before, [Target("new", 3.0, "s"), *after])
    assert [*lines.items()] == [
        ("same", ["2.000", "s", "2.000", "s", "1.00"]),
        ("old", ["1.000", "s"]),
        ("new", ["3.000", "s"]),
    ]


def test_small_changes_can_be_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    before = [Target("little", 100.0, "ms"), Target("much", 100.0, "ms")]
    after = [Target("little", 105.0, "ms"), Target("much", 80.0, "ms")]
    lines = shown(monkeypatch, capsys, tmp_path, before, after, "--by", "0.1")
    assert [*lines] == ["much"]
