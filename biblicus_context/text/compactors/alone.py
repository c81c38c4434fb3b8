"""Running an effectful compactor outside the engine: every call is made here, one by one."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from typing import Any, TypeVar

from biblicus_context.base.effects import Effect, Effectful, Outcome

T = TypeVar("T")


def run_alone(computation: Effectful[T]) -> T:
    """The result of a computation; time limits hold only in the engine."""
    outcomes: tuple[Outcome, ...] | None = None
    while True:
        try:
            batch = next(computation) if outcomes is None else computation.send(outcomes)
        except StopIteration as done:
            result: T = done.value
            return result
        outcomes = tuple(_outcome(effect) for effect in batch)


def _outcome(effect: Effect) -> Outcome:
    try:
        value = effect.function(effect.argument)
        return Outcome(_awaited(value) if inspect.isawaitable(value) else value)
    except Exception as error:  # whatever a callable raises is its outcome
        return Outcome(error=error)


def _awaited(awaitable: Awaitable[T]) -> T:
    import asyncio  # noqa: PLC0415 - slow to load, and seldom needed here
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    async def wait() -> Any:
        return await awaitable

    # A thread of its own, as the caller may be inside a running event loop.
    with ThreadPoolExecutor(max_workers=1) as pool:
        answer: T = pool.submit(asyncio.run, wait()).result()
        return answer
