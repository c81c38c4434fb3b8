"""Async methods for callers that are not async, also where an event loop is running."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


def awaited(work: Coroutine[Any, Any, R]) -> R:
    """The result of async work, also where an event loop is running, as in a notebook.

    >>> async def double(number): return 2 * number
    >>> awaited(double(21))
    42
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, work).result()


class SynchronousDoor(Generic[S]):
    """The methods of an object without `await`; a subclass lists them with `synchronous`.

    >>> class Clock:
    ...     async def now(self, zone: str) -> str: return f"noon in {zone}"
    >>> class SynchronousClock(SynchronousDoor[Clock]):
    ...     now = synchronous(Clock.now)
    >>> SynchronousClock(Clock()).now("UTC")
    'noon in UTC'
    """

    def __init__(self, of: S) -> None:
        self._of = of


def synchronous(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[SynchronousDoor[S], P], R]:
    """The method of a `SynchronousDoor` that calls an async one: same arguments, types and text."""

    @wraps(method)
    def call(door: SynchronousDoor[S], /, *values: P.args, **options: P.kwargs) -> R:
        return awaited(method(door._of, *values, **options))

    return call
