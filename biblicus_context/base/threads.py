"""The sync driver: runs an effectful computation and makes its calls."""

from __future__ import annotations

import contextvars
import inspect
import threading
import time
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from biblicus_context.base.compute_lock import one_at_a_time
from biblicus_context.base.deadlines import remaining
from biblicus_context.base.effects import Batch, Effect, Effectful, Outcome, TookTooLongError
from biblicus_context.base.joining import joined
from biblicus_context.base.sharing import sharing
from biblicus_context.base.tracing import span

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

MOST_CALLS = 32
"""Calls that run at the same time."""


def run(computation: Effectful[T]) -> T:
    """Run a computation to its end.

    Sync functions are called in this thread, one after the other, unless their effects allow other
    threads; async ones, and those that may take other threads, run side by side.
    """
    outcomes: tuple[Outcome, ...] | None = None
    try:
        while True:
            with sharing():
                batch = next(computation) if outcomes is None else computation.send(outcomes)
            outcomes = _outcomes(batch)
    except StopIteration as done:
        result: T = done.value
        return result


def _outcomes(batch: Batch) -> tuple[Outcome, ...]:
    if remaining() is not None:  # few programs have a deadline
        batch = tuple(map(until_deadline, batch))
    if len(batch) == 1 and batch[0].timeout_seconds is None:
        # What computes alone reads in one view as several do; a function has nothing to share.
        return (*_in_turn(batch),) if batch[0].computes else (raising_stops(call(batch[0])),)
    elsewhere = {at: effect for at, effect in enumerate(batch) if _runs_elsewhere(effect)}
    threads = _CallingThreads(elsewhere)
    threads.start()
    here = [at for at in range(len(batch)) if at not in elsewhere]
    outcomes = dict(zip(here, _in_turn([batch[at] for at in here]), strict=True))
    outcomes |= threads.outcomes()
    return tuple(outcomes[at] for at in range(len(batch)))


def _in_turn(effects: Sequence[Effect]) -> list[Outcome]:
    """Make calls for this thread; what only computes takes turns with that of other threads."""
    if effects and all(effect.computes for effect in effects):
        return one_at_a_time(partial(calls, effects))
    return calls(effects)


def calls(effects: Sequence[Effect]) -> list[Outcome]:
    """Make calls for this thread, one after the other; those that only compute share what they open.

    Those that join wait together for what they read.
    """
    if len(effects) > 1 and any(effect.joins for effect in effects):
        together = iter(_joined([effect for effect in effects if effect.joins]))
        others = iter(calls([effect for effect in effects if not effect.joins]))
        return [next(together if effect.joins else others) for effect in effects]
    shares = all(effect.computes or effect.joins for effect in effects)
    with sharing() if shares else nullcontext():
        return [raising_stops(call(effect)) for effect in effects]


def _joined(effects: Sequence[Effect]) -> list[Outcome]:
    with sharing():
        return [*map(raising_stops, joined([partial(call, each) for each in effects]))]


def _runs_elsewhere(effect: Effect) -> bool:
    """Whether a call of a batch is made in another thread."""
    wanted = effect.timeout_seconds is not None or effect.parallel is True
    return wanted or is_coroutine_function(effect.function)


def is_coroutine_function(function: Any) -> bool:
    """Whether it is `async def`, or an object whose `__call__` is."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - needs the method, not only whether it exists
    )


def until_deadline(effect: Effect) -> Effect:
    """The call with the time that a deadline leaves it; what only computes is never given up."""
    left = remaining()
    if left is None or effect.computes or effect.parallel is False:
        return effect
    own = effect.timeout_seconds
    return effect._replace(timeout_seconds=left if own is None else min(own, left))


def call(effect: Effect) -> Outcome:
    """Make a call in this thread; its outcome has whatever it raises. After a deadline none is made."""
    if remaining() == 0:
        return Outcome(error=TookTooLongError())
    try:
        with span(*effect.span) if effect.span else nullcontext():
            value = effect.function(effect.argument)
            if isinstance(value, Awaitable):
                value = _awaited(value)
    except BaseException as error:
        return Outcome(error=error)
    return Outcome(value)


def raising_stops(outcome: Outcome) -> Outcome:
    """The outcome of a call, unless the call asked for the end of the program."""
    if outcome.stops:
        assert outcome.error is not None
        raise outcome.error
    return outcome


def _awaited(awaitable: Awaitable[T]) -> T:
    """Wait for an async callable from sync code, also inside a running event loop."""
    import asyncio  # slow to load, and few sync programs need it
    from concurrent.futures import Future

    async def wait() -> T:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    future: Future[T] = Future()
    start_thread(lambda: _resolve(future, lambda: asyncio.run(wait())))
    return future.result()


def _resolve(future: Future[T], compute: Any) -> None:
    try:
        future.set_result(compute())
    except BaseException as error:
        future.set_exception(error)


def start_thread(work: Any) -> None:
    """Start a daemon thread: a call that never returns must not keep the process alive."""
    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True).start()


class _CallingThreads:
    """Threads that make calls; a call that exceeds its time is abandoned."""

    def __init__(self, effects: Mapping[int, Effect]) -> None:
        self._effects = effects
        self._changed = threading.Condition()
        self._waiting = sorted(effects, reverse=True)
        self._started: dict[int, float] = {}
        self._outcomes: dict[int, Outcome] = {}

    def start(self) -> None:
        for _ in range(min(len(self._effects), MOST_CALLS)):
            start_thread(self._make_calls)

    def outcomes(self) -> dict[int, Outcome]:
        """The outcome of each call, once there is one for every call."""
        with self._changed:
            while True:
                # First, as an outcome that is there already wakes nobody.
                for outcome in self._outcomes.values():
                    raising_stops(outcome)
                if len(self._outcomes) == len(self._effects):
                    return self._outcomes
                self._changed.wait(self._until_next_deadline())
                self._abandon_late_calls()

    def _make_calls(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    return
                at = self._waiting.pop()
                self._started[at] = time.monotonic()
                self._changed.notify()
            outcome = call(self._effects[at])
            with self._changed:
                if at in self._outcomes:
                    # Too late: the call has timed out, and another thread replaced this one.
                    return
                self._outcomes[at] = outcome
                self._changed.notify()

    def _deadlines(self) -> list[tuple[int, float]]:
        return [
            (at, started + timeout)
            for at, started in self._started.items()
            if at not in self._outcomes
            and (timeout := self._effects[at].timeout_seconds) is not None
        ]

    def _until_next_deadline(self) -> float | None:
        deadlines = [deadline for _, deadline in self._deadlines()]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _abandon_late_calls(self) -> None:
        now = time.monotonic()
        for at, deadline in self._deadlines():
            if now >= deadline:
                self._outcomes[at] = Outcome(error=TookTooLongError())
                start_thread(self._make_calls)
