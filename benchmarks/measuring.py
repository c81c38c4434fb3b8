"""Times a library on a workload, with texts it has never seen, and counts what it would send."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from statistics import fmean, median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from benchmarks.counting import tokens_sent
from benchmarks.messages import Message, orphans
from benchmarks.workloads import WORKLOADS, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROUNDS = {"small": 40, "overflow": 12, "large": 6, "tools": 10}
LONG_ROUND_SECONDS = 5.0
ENOUGH_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Library:
    """How one library does the work.

    `ready` puts the inputs into the library's own types, untimed, and returns the call to time;
    `sent` reads the messages out of what that call returned, untimed.
    """

    ready: Callable[[Work], Callable[[], Any]]
    sent: Callable[[Any], list[Message]]


@dataclass(frozen=True, slots=True)
class Sent:
    """What one call would send, counted exactly, next to what was allowed and what there was."""

    budget: int
    offered: int
    tokens: int
    orphans: int


@dataclass(frozen=True, slots=True)
class Measurement:
    """One library on one workload: the seconds of each round, and what the last round sent."""

    seconds: tuple[float, ...]
    sent: tuple[Sent, ...]

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def fastest(self) -> float:
        return min(self.seconds)

    @property
    def fill(self) -> float:
        """How much is sent of what could be: of the budget, or of all there is if that is less."""
        return fmean(sent.tokens / min(sent.budget, sent.offered) for sent in self.sent)

    @property
    def over_budget(self) -> bool:
        return any(sent.tokens > sent.budget for sent in self.sent)

    @property
    def orphans(self) -> int:
        return sum(sent.orphans for sent in self.sent)

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Measurement:
        return cls(tuple(told["seconds"]), tuple(Sent(**sent) for sent in told["sent"]))


def measure(library: Library, workload: str) -> Measurement:
    """Rounds of fresh texts, the first one thrown away unless it alone takes long."""
    first, sent = one_round(library, WORKLOADS[workload](0))
    if first > LONG_ROUND_SECONDS:
        return Measurement((first,), tuple(sent))
    seconds: list[float] = []
    for round_ in range(1, ROUNDS[workload] + 1):
        spent, sent = one_round(library, WORKLOADS[workload](round_))
        seconds.append(spent)
        if sum(seconds) > ENOUGH_SECONDS:
            break
    return Measurement(tuple(seconds), tuple(sent))


def one_round(library: Library, works: Sequence[Work]) -> tuple[float, list[Sent]]:
    """The seconds all calls of a round take together, and what each would send."""
    seconds = 0.0
    sent: list[Sent] = []
    for work in works:
        spent, result = timed(library.ready(work))
        messages = library.sent(result)
        seconds += spent
        sent.append(Sent(work.budget, work.offered(), tokens_sent(messages), orphans(messages)))
    return seconds, sent


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of one call, and its result; what lives already is no work for the collector."""
    return _timed(call, perf_counter)


def processor_timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The same in processor time of all threads: what others do meanwhile counts less."""
    return _timed(call, process_time)


def _timed(call: Callable[[], Any], clock: Callable[[], float]) -> tuple[float, Any]:
    gc.collect()
    gc.freeze()
    start = clock()
    result = call()
    seconds = clock() - start
    gc.unfreeze()
    return seconds, result
