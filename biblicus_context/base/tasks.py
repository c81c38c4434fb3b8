"""The async driver: runs an effectful computation and awaits its calls in tasks."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable
from typing import Any, TypeVar

from biblicus_context.base.effects import Batch, Effect, Effectful, Outcome, TookTooLongError
from biblicus_context.base.threads import MOST_CALLS, start_thread

T = TypeVar("T")


async def arun(computation: Effectful[T]) -> T:
    """Run a computation to its end; the calls of a batch run concurrently."""
    outcomes: tuple[Outcome, ...] | None = None
    try:
        while True:
            batch = next(computation) if outcomes is None else computation.send(outcomes)
            outcomes = await _in_tasks(batch)
    except StopIteration as done:
        result: T = done.value
        return result


async def _in_tasks(batch: Batch) -> tuple[Outcome, ...]:
    if len(batch) == 1:
        return (await _acall(batch[0]),)
    gate = asyncio.Semaphore(MOST_CALLS)

    async def gated(effect: Effect) -> Outcome:
        async with gate:
            return await _acall(effect)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(gated(effect)) for effect in batch]
    return tuple(task.result() for task in tasks)


async def _acall(effect: Effect) -> Outcome:
    if effect.timeout_seconds is None:
        return await _settled(effect)
    # Not `asyncio.timeout`: it would keep waiting for a call that ignores its cancellation.
    task = asyncio.ensure_future(_settled(effect))
    try:
        done, _ = await asyncio.wait({task}, timeout=effect.timeout_seconds)
    finally:
        task.cancel()
    return task.result() if done else Outcome(error=TookTooLongError())


async def _settled(effect: Effect) -> Outcome:
    try:
        return Outcome(await _value(effect))
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return Outcome(
            error=error
        )  # the call cancelled work of its own; the call itself was not cancelled
    except Exception as error:
        return Outcome(error=error)


async def _value(effect: Effect) -> Any:
    """Await an async callable, and run any other in a thread, so that the loop is not blocked."""
    if inspect.iscoroutinefunction(effect.function) or inspect.iscoroutinefunction(
        getattr(effect.function, "__call__", None)  # noqa: B004 - needs the method, not only whether it exists
    ):
        return await effect.function(effect.argument)
    value = await _in_thread(effect)
    return await value if isinstance(value, Awaitable) else value


async def _in_thread(effect: Effect) -> Any:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(outcome: Outcome) -> None:
        if done.done():
            return
        if outcome.error is not None:
            done.set_exception(outcome.error)
        else:
            done.set_result(outcome.value)

    def labour() -> None:
        outcome = _outcome(effect)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, outcome)

    start_thread(labour)
    return await done


def _outcome(effect: Effect) -> Outcome:
    try:
        return Outcome(effect.function(effect.argument))
    except BaseException as error:
        return Outcome(
            error=RuntimeError(repr(error))
            if isinstance(error, StopIteration | SystemExit | KeyboardInterrupt)
            else error
        )
