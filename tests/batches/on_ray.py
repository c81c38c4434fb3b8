"""A program for a network of its own: a Ray cluster of two nodes, of which one is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from biblicus_context import ContextAssembler
from biblicus_context.batches import BatchProgress, run_batch
from tests.batches.slow_retriever import slow
from tests.batches.test_batches import NOW, PLAN, row, written


def main(folder: Path) -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    plan = {**PLAN, "messages": [*PLAN["messages"], {"type": "context", "name": "kb"}]}  # type: ignore[misc]
    assembler = ContextAssembler({"support": plan}, {"kb": slow})
    source = written(folder, [row(n) for n in range(1_000)])
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    killed = False

    def kill(at: BatchProgress) -> None:
        nonlocal killed
        if not killed and at.done >= 200:
            killed = True
            assert len([each for each in ray.nodes() if each["Alive"]]) == 2
            for process in second.all_processes["raylet"]:
                os.kill(process.process.pid, signal.SIGKILL)

    done = run_batch(
        assembler,
        "support",
        source,
        folder / "ray",
        now=NOW,
        ray=cluster.address,
        on_progress=kill,
    )
    assert killed
    assert (done.rows, done.errors) == (1_000, 0)
    cluster.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
