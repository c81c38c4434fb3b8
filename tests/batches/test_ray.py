"""A Ray cluster assembles a batch, and loses no row with a node."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.batches import run_batch
from tests.batches.slow_retriever import slow
from tests.batches.test_batches import NOW, PLAN, parts


@pytest.mark.nightly  # a minute: two nodes start, and one is found dead
def test_two_nodes_write_the_same_bytes_as_one_process_also_if_one_is_killed(tmp_path: Path):
    # Ray listens on all interfaces, whatever it is told: so it gets a network without any.
    program = [sys.executable, "-m", "tests.batches.on_ray", str(tmp_path)]
    ended = subprocess.run(
        ["unshare", "-n", *program], capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr[-2_000:]
    plan = {**PLAN, "messages": [*PLAN["messages"], {"type": "context", "name": "kb"}]}  # type: ignore[misc]
    assembler = ContextAssembler({"support": plan}, {"kb": slow})
    run_batch(assembler, "support", tmp_path / "rows.jsonl", tmp_path / "one", now=NOW)
    assert parts(tmp_path / "ray") == parts(tmp_path / "one") != {}
