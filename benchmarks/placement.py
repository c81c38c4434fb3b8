"""Where workspaces are served, simulated: `python -m benchmarks.placement`.

Processes keep what they ranked over in memory, up to a limit. Requests come for workspaces of different sizes, a few of
which are asked for most of the time. The simulation says how often a process has a workspace in memory, what all
requests cost, and so how many cores and machines a load needs, for several ways to choose the process.

The costs are inputs: measured by `python -m benchmarks.server_stores_speed`, and given as options here.
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

MOST: Final = 1.25
"""Times the mean of requests that a process takes, before the next one in the ring takes some of its workspaces."""
SERVING: Final = 0.7
"""The part of a core that requests may use: the rest is for what comes at once."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What was measured on one core."""

    warm_ms: float = 5.3
    """Of a hybrid search that finds its workspace in memory, in program and server."""
    warm_per_million_ms: float = 100.0
    """What a million blocks add: the cosines of all of them are computed."""
    assembly_ms: float = 3.0
    """The rest of an assembly."""
    cold_ms_per_block: float = 0.011
    """Of reading a block's columns and embedding, in program and server."""
    bytes_per_block: float = 1_100.0
    """In memory, with an embedding of 256 numbers."""


@dataclass(frozen=True, slots=True)
class Load:
    """Who asks."""

    workspaces: int
    blocks: float
    """Of all workspaces."""
    requests: int
    """That are simulated."""
    skew: float = 1.0
    """Of a Zipf distribution: the n-th workspace is asked for 1/n^skew as often as the first one."""
    spread: float = 1.5
    """Of the sizes, which are lognormal."""


@dataclass(frozen=True, slots=True)
class Served:
    """What came of it."""

    hit_rate: float
    ms: float
    """Of the processor, for one request."""
    p99_ms: float
    busiest: float
    """The share of all work that the busiest process has, times the number of processes: 1 is even."""


class Memory:
    """What one process keeps: the workspaces that it was asked for last, up to a number of bytes."""

    def __init__(self, most: float) -> None:
        self._most = most
        self._used = 0.0
        self._kept: OrderedDict[int, float] = OrderedDict()

    def has(self, workspace: int, size: float) -> bool:
        """Whether it is there; it is afterwards, if it is not larger than all of the memory."""
        if workspace in self._kept:
            self._kept.move_to_end(workspace)
            return True
        if size <= self._most:
            self._kept[workspace] = size
            self._used += size
            while self._used > self._most:
                self._used -= self._kept.popitem(last=False)[1]
        return False


Route = Callable[[int, int], int]
"""The process for a workspace; the number of the request is for those that do not look at it."""


def routes(processes: int, rng: np.random.Generator) -> Mapping[str, Route]:
    """Ways to choose a process."""
    points = np.sort(rng.random(processes * 64))
    owner = rng.permutation(np.repeat(np.arange(processes), 64))
    scattered = rng.integers(0, processes, 1 << 20)
    taken = np.zeros(processes)

    def hashed(workspace: int, _: int) -> int:
        place = (workspace * 0.6180339887498949) % 1.0
        return int(owner[bisect_right(points, place) % len(points)])

    def bounded(workspace: int, n: int) -> int:
        process = hashed(workspace, n)
        while taken[process] > MOST * (n / processes + 1):
            process = (process + 1) % processes
        taken[process] += 1
        return process

    return {
        "any process": lambda _, n: int(scattered[n % len(scattered)]),
        "one by workspace": hashed,
        f"by workspace, up to {MOST} x the mean": bounded,
    }


def served(
    load: Load, costs: Costs, route: Route, processes: int, memory: float, seed: int
) -> Served:
    """All requests of a load; the first half fills the memories, and is not counted."""
    rng = np.random.default_rng(seed)
    sizes = rng.lognormal(0, load.spread, load.workspaces)
    sizes *= load.blocks / sizes.sum()
    asked = popular(rng, load)
    memories = [Memory(memory) for _ in range(processes)]
    work = np.zeros(processes)
    times = np.empty(load.requests)
    hits = 0
    for n, workspace in enumerate(asked.tolist()):
        process, size = route(workspace, n), float(sizes[workspace])
        ms = costs.assembly_ms + costs.warm_ms + costs.warm_per_million_ms * size / 1e6
        is_there = memories[process].has(workspace, size * costs.bytes_per_block)
        if not is_there:
            ms += costs.cold_ms_per_block * size
        if n >= load.requests // 2:
            hits += is_there
            work[process] += ms
            times[n] = ms
    counted = times[load.requests // 2 :]
    return Served(
        hits / len(counted),
        float(counted.mean()),
        float(np.percentile(counted, 99)),
        float(work.max() / work.mean()),
    )


def popular(rng: np.random.Generator, load: Load) -> NDArray[np.int64]:
    """The workspace of each request."""
    weights = 1.0 / np.arange(1, load.workspaces + 1) ** load.skew
    bounds = np.cumsum(weights / weights.sum())
    ranks = np.searchsorted(bounds, rng.random(load.requests))
    return rng.permutation(load.workspaces)[np.minimum(ranks, load.workspaces - 1)]


def main() -> None:
    """Print one line for each way to choose a process and each size of a memory."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--workspaces", type=int, default=100_000)
    parser.add_argument("--blocks", type=float, default=1e9)
    parser.add_argument("--requests", type=int, default=600_000)
    parser.add_argument("--rate", type=float, default=10_000, help="assemblies a second")
    parser.add_argument("--processes", type=int, default=256)
    parser.add_argument("--memory", type=float, nargs="*", default=[1, 2, 4], help="GB a process")
    for name, value in {each: getattr(Costs(), each) for each in Costs.__slots__}.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=float, default=value)
    options = parser.parse_args()
    costs = Costs(**{each: getattr(options, each) for each in Costs.__slots__})
    load = Load(options.workspaces, options.blocks, options.requests)
    print(
        f"{load.workspaces:,} workspaces with {load.blocks:,.0f} blocks, {options.processes} processes,"
        f" {load.requests:,} requests simulated for {options.rate:,.0f} a second"
    )
    for memory in options.memory:
        ways = routes(options.processes, np.random.default_rng(3))
        for name, route in ways.items():
            found = served(load, costs, route, options.processes, memory * 1e9, seed=7)
            cores = options.rate * found.ms / 1000 / SERVING
            print(
                f"{memory:g} GB a process, {name}: in memory {found.hit_rate:.1%},"
                f" {found.ms:.1f} ms a request (p99 {found.p99_ms:.0f}), {cores:,.0f} cores,"
                f" busiest process {found.busiest:.1f} x",
                flush=True,
            )


if __name__ == "__main__":
    main()
