"""The README's plan works as it stands, also for somebody who begins with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.reader import ROOT, blocks, environment

QUESTION = "question=How long can I return goods?"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the first plan of the README, and one file for it to search."""
    plans = [block for block in blocks(ROOT / "README.md") if block.kind == "yaml"]
    plan = next(block for block in plans if block.file == "contexts/answer.yaml")
    for name, text in {
        plan.file: plan.body,
        "handbook/returns.md": "# Returns\n\n30 days.\n",
    }.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "shown"),
    [(["lint"], "no findings"), (["render", "answer", "--input", QUESTION], "source: returns.md")],
)
def test_the_first_plan_has_no_finding_and_can_be_rendered(
    project: Path, command: list[str], shown: str
):
    done = subprocess.run(
        [sys.executable, "-m", "biblicus_context", *command],
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert shown in done.stdout
