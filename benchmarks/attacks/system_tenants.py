"""Tenants and users of the four systems: each gets the answers of a system that only they use."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Final

from benchmarks.attacks import Extent, fast_folder
from benchmarks.attacks.worlds.learnings import LearningWorld
from benchmarks.attacks.worlds.memories import MemoryWorld
from benchmarks.attacks.worlds.primes import PrimeWorld
from benchmarks.attacks.worlds.twins import Tally, World, steps
from benchmarks.attacks.worlds.workspaces import WorkspaceWorld
from benchmarks.targets import Target

COMPARISONS: Final = 5_000
"""Of each system."""
_STEPS: Final = 40
WORLDS: Final[Mapping[str, Callable[[Path], World]]] = {
    "memory": MemoryWorld,
    "prime": PrimeWorld,
    "workspace": WorkspaceWorld,
    "learning": LearningWorld,
}


def system_tenants(extent: Extent) -> Iterator[Target]:
    """Five thousand comparisons of each system in full."""
    wanted = extent.of(COMPARISONS)
    for name in WORLDS:
        compared, seed, different = 0, 0, 0
        while compared < wanted:
            tally = lived(name, Random(seed))
            for each in tally.different[:2]:
                print(f"  {name}: seed {seed}: {each}", flush=True)
            compared, seed = compared + tally.compared, seed + 1
            different += len(tally.different)
        yield Target(f"attack: answers of the {name} system compared", compared, "answers")
        yield Target("attack: answers that depend on others", different, "answers", at_most=0)


def lived(name: str, chance: Random, number: int = _STEPS) -> Tally:
    """What is compared in a world of this system, in so many steps."""
    with tempfile.TemporaryDirectory(dir=fast_folder()) as folder:
        return asyncio.run(steps(WORLDS[name](Path(folder)), chance, number))
