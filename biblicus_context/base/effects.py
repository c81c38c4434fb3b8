"""Effects: calls to the outside world that the engine asks a driver to make.

The engine does no I/O. Its steps are generators that yield a batch of effects and receive one
outcome for each, in the same order. A driver makes the calls: `threads.py` for sync callers,
`tasks.py` for async ones.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar


class TookTooLongError(Exception):
    """A call did not return within its time; nobody waits for it any more."""


class Effect(NamedTuple):
    """One call to a function that may block, fail, or be async."""

    function: Callable[[Any], Any]
    argument: Any
    timeout_seconds: float | None = None


class Outcome(NamedTuple):
    """The result of one effect: its value, or the error it raised."""

    value: Any = None
    error: BaseException | None = None


Batch: TypeAlias = tuple[Effect, ...]
T = TypeVar("T")
Effectful: TypeAlias = Generator[Batch, tuple[Outcome, ...], T]
"""A computation that yields batches of effects, receives their outcomes, and returns a `T`."""


def perform(effect: Effect) -> Effectful[Outcome]:
    """Ask for one effect and return its outcome."""
    (outcome,) = yield (effect,)
    return outcome


def side_by_side(tasks: list[Effectful[T]]) -> Effectful[list[T]]:
    """Run several effectful computations together; their calls share batches.

    The results are in the order of `tasks`, whatever order the calls finish in.
    """
    if len(tasks) == 1:
        return [(yield from tasks[0])]
    results: dict[int, T] = {}
    waiting: dict[int, Batch] = {}

    def advance(index: int, outcomes: tuple[Outcome, ...] | None) -> None:
        try:
            batch = next(tasks[index]) if outcomes is None else tasks[index].send(outcomes)
        except StopIteration as done:
            results[index] = done.value
            waiting.pop(index, None)
        else:
            waiting[index] = batch

    for index in range(len(tasks)):
        advance(index, None)
    while waiting:
        asked = tuple(waiting.items())
        outcomes = yield tuple(effect for _, batch in asked for effect in batch)
        start = 0
        for index, batch in asked:
            advance(index, outcomes[start : start + len(batch)])
            start += len(batch)
    return [results[index] for index in range(len(tasks))]
