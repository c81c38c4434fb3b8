"""Every library on every workload, one after the other in one run."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import child
from benchmarks.environments import python_of
from benchmarks.peers import PEERS, Counter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.measuring import Measurement


@dataclass(frozen=True, slots=True)
class Contestant:
    """One library in one of the ways it can do the work."""

    title: str
    variant: str
    module: str
    counter: Counter
    python: Path

    @property
    def label(self) -> str:
        return f"{self.title} ({self.variant})" if self.variant else self.title


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one contestant on one workload: a measurement, or what went wrong."""

    workload: str
    contestant: Contestant
    measurement: Measurement | None = None
    trouble: str | None = None


OURS = Contestant("biblicus_context", "", "benchmarks.ours", Counter.OURS, Path(sys.executable))


def peers() -> list[Contestant]:
    """Every variant of every peer, its environment ready."""
    return [
        Contestant(peer.title, variant, f"benchmarks.peers.{peer.module}", counter, python)
        for peer in PEERS
        for python in [python_of(peer.module)]
        for variant, counter in peer.variants.items()
    ]


def compare(workloads: Sequence[str], contestants: Sequence[Contestant]) -> Iterator[Row]:
    """A row for every pair, workload by workload, so that neighbours ran at the same time."""
    for workload in workloads:
        for contestant in contestants:
            print(f"{workload}: {contestant.label} ...", file=sys.stderr)
            yield _row(workload, contestant)


def _row(workload: str, contestant: Contestant) -> Row:
    try:
        measurement = child.run(contestant.python, contestant.module, contestant.variant, workload)
    except child.ChildError as error:
        return Row(workload, contestant, trouble=str(error))
    return Row(workload, contestant, measurement)
