"""What is aimed at next to the peers: far faster than any that keeps the budget, and fuller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.comparison import OURS, Row
from benchmarks.peers import Counter
from benchmarks.targets import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.measuring import Measurement

TIME_RATIOS = {"small": 1.0, "overflow": 0.2, "large": 0.1, "tools": None}
LEAST_FILL = {"small": 1.0, "overflow": 0.995, "large": 0.995, "tools": None}


def against_peers(rows: Sequence[Row]) -> Iterator[Target]:
    """The aims of every workload that this engine was measured on; times are fastest rounds."""
    for ours in rows:
        if ours.contestant == OURS and ours.measurement:
            peers = [row for row in rows if row.workload == ours.workload and row is not ours]
            yield from _promises(ours.workload, ours.measurement)
            yield from _times(ours.workload, ours.measurement, peers)


def _promises(workload: str, ours: Measurement) -> Iterator[Target]:
    yield Target(f"{workload}: filled", ours.fill, "%", at_least=LEAST_FILL[workload])
    yield Target(f"{workload}: calls over budget", ours.over_budget, "", at_most=0)
    yield Target(f"{workload}: orphaned calls and results", ours.orphans, "", at_most=0)


def _times(workload: str, ours: Measurement, peers: Sequence[Row]) -> Iterator[Target]:
    for counter in Counter:
        exact = [measured for row in peers if (measured := _exact(row, counter))]
        if exact:
            fastest = min(peer.fastest for peer in exact)
            name = f"{workload}: time / fastest peer within budget, counting with {counter.value}"
            bound = TIME_RATIOS[workload] if counter is Counter.TIKTOKEN else None
            yield Target(name, ours.fastest / fastest, "x", at_most=bound)


def _exact(row: Row, counter: Counter) -> Measurement | None:
    """A measurement worth comparing with: within the budget, and no call without its result."""
    measured = row.measurement
    if row.contestant.counter is not counter or measured is None:
        return None
    return None if measured.over_budget or measured.orphans else measured
