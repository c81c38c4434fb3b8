"""The async driver: runs an effectful computation and awaits its calls in tasks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from biblicus_context.base.compute_lock import one_at_a_time
from biblicus_context.base.effects import Batch, Effect, Effectful, Outcome, TookTooLongError
from biblicus_context.base.sharing import sharing
from biblicus_context.base.threads import (
    MOST_CALLS,
    calls,
    is_coroutine_function,
    start_thread,
    until_deadline,
)
from biblicus_context.base.tracing import span

T = TypeVar("T")


class _StoppedError(Exception):
    """A call asked for the end of the program; as an `Exception` it passes through event loops."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


async def arun(computation: Effectful[T]) -> T:
    """Run a computation to its end; the calls of a batch run concurrently."""
    outcomes: tuple[Outcome, ...] | None = None
    try:
        while True:
            with sharing():
                batch = next(computation) if outcomes is None else computation.send(outcomes)
            outcomes = await _in_tasks(batch)
    except StopIteration as done:
        result: T = done.value
        return result


async def _in_tasks(batch: Batch) -> tuple[Outcome, ...]:
    batch = tuple(map(until_deadline, batch))
    try:
        if len(batch) == 1:
            return (await _acall(batch[0]),)
        return await _side_by_side(batch)
    except* _StoppedError as group:
        stopped = [each.error for each in group.exceptions if isinstance(each, _StoppedError)]
    raise stopped[0]


async def _side_by_side(batch: Batch) -> tuple[Outcome, ...]:
    gate = asyncio.Semaphore(MOST_CALLS)

    async def gated(effect: Effect) -> Outcome:
        async with gate:
            return await _acall(effect)

    sharing_ = [at for at, effect in enumerate(batch) if _shares_a_thread(effect)]
    computing = [at for at in sharing_ if batch[at].computes]
    joining = [at for at in sharing_ if not batch[at].computes]
    async with asyncio.TaskGroup() as group:
        tasks = {
            at: group.create_task(gated(effect))
            for at, effect in enumerate(batch)
            if at not in sharing_
        }
        computed = group.create_task(_in_turn([batch[at] for at in computing]))
        joined = group.create_task(_calls([batch[at] for at in joining], _in_thread))
    outcomes = {at: task.result() for at, task in tasks.items()}
    outcomes |= dict(zip(computing, computed.result(), strict=True))
    outcomes |= dict(zip(joining, joined.result(), strict=True))
    return tuple(outcomes[at] for at in range(len(batch)))


def _shares_a_thread(effect: Effect) -> bool:
    """Whether a sync function waits for nothing, or only for what others read at the same time."""
    may = effect.computes or effect.joins
    return may and effect.parallel is None and effect.timeout_seconds is None


async def _in_turn(effects: Sequence[Effect]) -> list[Outcome]:
    """In turn with what other assemblies compute."""
    return await _calls(effects, lambda work: _in_its_place(partial(one_at_a_time, work)))


async def _calls(
    effects: Sequence[Effect], in_thread: Callable[[Callable[[], Any]], Awaitable[Outcome]]
) -> list[Outcome]:
    """In one thread, one after the other."""
    if not effects:
        return []
    outcome = await in_thread(partial(calls, effects))
    if outcome.error is not None:
        raise _StoppedError(outcome.error)
    outcomes: list[Outcome] = outcome.value
    return outcomes


async def _acall(effect: Effect) -> Outcome:
    outcome = await _within_its_time(effect)
    if outcome.stops:
        assert outcome.error is not None
        raise _StoppedError(outcome.error)
    return outcome


async def _within_its_time(effect: Effect) -> Outcome:
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
        with span(*effect.span) if effect.span else contextlib.nullcontext():
            return await _outcome(effect)
    except GeneratorExit:  # nobody awaits this coroutine any more
        raise
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        # The call cancelled work of its own; the call itself was not cancelled.
        return Outcome(error=error)
    except BaseException as error:
        return Outcome(error=error)


async def _outcome(effect: Effect) -> Outcome:
    """Await an async function; call any other in a thread, so that the loop is not blocked."""
    function = _function_for_this_loop(effect)
    if function is not None:
        value = function(effect.argument)
    else:
        work = partial(effect.function, effect.argument)
        if effect.computes:
            outcome = await _in_its_place(partial(_sharing, work))
        else:
            outcome = await _in_thread(partial(_sharing, work) if effect.joins else work)
        if outcome.error is not None:
            return outcome
        value = outcome.value
    return Outcome(await value if isinstance(value, Awaitable) else value)


def _function_for_this_loop(effect: Effect) -> Callable[[Any], Any] | None:
    """What is called on the event loop itself; None if the function takes a thread."""
    if effect.parallel is False and effect.timeout_seconds is None:
        return effect.function
    if effect.asynchronous is not None:
        return effect.asynchronous
    return effect.function if is_coroutine_function(effect.function) else None


_PLACES: Final = 2
_PATIENCE: Final = 0.5
"""Seconds for which work keeps its place: one long search delays others by no more than this."""
_OF_LOOPS: Final = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]()


async def _in_its_place(work: Callable[[], Any]) -> Outcome:
    """In a thread, once fewer than two others compute for this event loop.

    To start a thread is to wait for the interpreter, which all threads that compute take from each other:
    with 64 searches at once the event loop stood still for more than a second.
    """
    loop = asyncio.get_running_loop()
    places = _OF_LOOPS.setdefault(loop, asyncio.Semaphore(_PLACES))
    await places.acquire()
    leaves = loop.call_later(_PATIENCE, places.release)

    def leave() -> None:
        if not leaves.cancelled() and leaves.when() > loop.time():
            leaves.cancel()
            places.release()

    # Not when the caller stops waiting: the thread goes on.
    return await _in_thread(work, leave)


def _sharing(work: Callable[[], T]) -> T:
    with sharing():
        return work()


async def _in_thread(work: Callable[[], Any], ended: Callable[[], None] = lambda: None) -> Outcome:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Outcome] = loop.create_future()

    def settle(outcome: Outcome) -> None:
        ended()
        if not done.done():
            done.set_result(outcome)

    def labour() -> None:
        outcome = _called(work)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, outcome)

    start_thread(labour)
    return await done


def _called(work: Callable[[], Any]) -> Outcome:
    """The outcome of a sync function; an awaitable that it returns is awaited by the loop."""
    try:
        return Outcome(work())
    except BaseException as error:
        return Outcome(error=error)
