"""The process boundary of the prefixes: a child trims one conversation and prints one JSON line."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.child import ROOT
from benchmarks.talk import Reuse, reuse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benchmarks.talk import Trim


def run(python: Path, module: str, setting: float, seed: int) -> Reuse:
    """One setting of one library, in a process of its own."""
    command = [str(python), "-m", module, str(setting), str(seed)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return Reuse(**json.loads(done.stdout.strip().rpartition("\n")[2]))


def main(trimming: Callable[[float], Trim]) -> None:
    """What a child does: `python -m benchmarks.peers.NAME_prefixes SETTING SEED`."""
    setting, seed = float(sys.argv[1]), int(sys.argv[2])
    print(json.dumps(reuse(setting, trimming(setting), seed=seed).as_dict()))
