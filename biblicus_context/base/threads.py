"""The sync driver: runs an effectful computation and makes its calls in threads."""

from __future__ import annotations

import contextvars
import sys
import threading
import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar

from biblicus_context.base.effects import Batch, Effect, Effectful, Outcome, TookTooLongError

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

MOST_CALLS = 32
"""Calls that run at the same time."""


def run(computation: Effectful[T]) -> T:
    """Run a computation to its end; the calls of a batch run side by side in threads."""
    outcomes: tuple[Outcome, ...] | None = None
    try:
        while True:
            batch = next(computation) if outcomes is None else computation.send(outcomes)
            outcomes = _in_threads(batch)
    except StopIteration as done:
        result: T = done.value
        return result


def _in_threads(batch: Batch) -> tuple[Outcome, ...]:
    if len(batch) == 1 and batch[0].timeout_seconds is None:
        return (_call(batch[0]),)
    return _CallingThreads(batch).work()


def _call(effect: Effect, catching: type[BaseException] = Exception) -> Outcome:
    try:
        value = effect.function(effect.argument)
        if isinstance(value, Awaitable):
            value = _awaited(value)
    except BaseException as error:
        if isinstance(error, catching) or _is_cancellation(error):
            return Outcome(error=error)
        raise
    return Outcome(value)


def _is_cancellation(error: BaseException) -> bool:
    """Whether work inside the call was cancelled; sync code cannot be cancelled from outside."""
    asyncio = sys.modules.get("asyncio")  # an asyncio that was never loaded has raised nothing
    return asyncio is not None and isinstance(error, asyncio.CancelledError)


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
    """Threads that make the calls of one batch; a call that exceeds its time is abandoned."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._changed = threading.Condition()
        self._next = 0
        self._started: dict[int, float] = {}
        self._outcomes: dict[int, Outcome] = {}

    def work(self) -> tuple[Outcome, ...]:
        for _ in range(min(len(self._batch), MOST_CALLS)):
            start_thread(self._make_calls)
        with self._changed:
            while len(self._outcomes) < len(self._batch):
                self._changed.wait(self._until_next_deadline())
                self._abandon_late_calls()
            return tuple(self._outcomes[index] for index in range(len(self._batch)))

    def _make_calls(self) -> None:
        while True:
            with self._changed:
                index = self._next
                if index >= len(self._batch):
                    return
                self._next += 1
                self._started[index] = time.monotonic()
                self._changed.notify()
            # All errors: a thread that ended by SystemExit would leave its caller waiting for ever.
            outcome = _call(self._batch[index], catching=BaseException)
            with self._changed:
                if (
                    index in self._outcomes
                ):  # too late: the call has timed out, and another thread replaced this one
                    return
                self._outcomes[index] = outcome
                self._changed.notify()

    def _deadlines(self) -> list[tuple[int, float]]:
        return [
            (index, started + timeout)
            for index, started in self._started.items()
            if index not in self._outcomes
            and (timeout := self._batch[index].timeout_seconds) is not None
        ]

    def _until_next_deadline(self) -> float | None:
        deadlines = [deadline for _, deadline in self._deadlines()]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _abandon_late_calls(self) -> None:
        now = time.monotonic()
        for index, deadline in self._deadlines():
            if now >= deadline:
                self._outcomes[index] = Outcome(error=TookTooLongError())
                start_thread(self._make_calls)
