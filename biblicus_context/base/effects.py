"""Effects: calls to the outside world that the engine asks a driver to make.

The engine does no I/O. Its steps are generators that yield a batch of effects and receive one
outcome for each, in the same order. A driver makes the calls: `threads.py` for sync callers,
`tasks.py` for async ones.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar


class TookTooLongError(Exception):
    """A call did not return within its time; nobody waits for it any more."""


class Effect(NamedTuple):
    """One call to a function that may block, fail, or be async."""

    function: Callable[[Any], Any]
    argument: Any
    timeout_seconds: float | None = None
    """A call with a time limit is made in another thread: only so the caller can stop waiting for it."""
    asynchronous: Callable[[Any], Awaitable[Any]] | None = None
    """The same as a coroutine function, for async callers."""
    parallel: bool | None = None
    """Whether a sync function may be called in other threads; None: only to keep an event loop free."""
    computes: bool = False
    """Whether a sync function computes and never waits: several of these share a thread."""
    joins: bool = False
    """Whether a sync function waits only for what it reads from other machines: several read together."""
    span: tuple[str, Mapping[str, Any]] | None = None
    """What a tracer calls it, and its attributes."""


class Outcome(NamedTuple):
    """The result of one effect: its value, or the error it raised."""

    value: Any = None
    error: BaseException | None = None

    @property
    def stops(self) -> bool:
        """Whether the call asked for the end of the program, rather than failed.

        The one rule for all drivers: an `Exception` is a failure of the call, and so is a cancellation of
        work that the call itself began. Any other error, such as KeyboardInterrupt and SystemExit, is
        raised in the caller as it is, from whichever thread or task it comes.
        """
        if self.error is None or isinstance(self.error, Exception):
            return False
        asyncio = sys.modules.get("asyncio")  # an asyncio that was never loaded has raised nothing
        return asyncio is None or not isinstance(self.error, asyncio.CancelledError)


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
