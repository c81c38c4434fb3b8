"""The process boundary: a child measures one library on one workload and prints one JSON line."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measuring import Library, Measurement, measure

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[1]
LIMIT_SECONDS = 120.0


class ChildError(RuntimeError):
    """A child did not come to a measurement; the message says why in a few words."""


def run(python: Path, module: str, variant: str, workload: str) -> Measurement:
    """Measure in a process of its own, killed when it takes too long."""
    command = [str(python), "-m", module, variant, workload]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise ChildError(f"beyond {LIMIT_SECONDS:.0f} s") from late
    if done.returncode:
        raise ChildError(f"fails: {_last_line(done.stderr)}")
    return Measurement.from_dict(json.loads(_last_line(done.stdout)))


def main(variants: Mapping[str, Library]) -> None:
    """What a child does: `python -m benchmarks.peers.NAME VARIANT WORKLOAD`."""
    variant, workload = sys.argv[1:]
    print(json.dumps(asdict(measure(variants[variant], workload))))


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]
