"""Calls the async methods of an object from code that is not async."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any


class Synchronous:
    """The methods of an object, of which the async ones return the result itself.

    It also works where an event loop is running, as in a notebook.

    >>> class Notes:
    ...     async def find(self, word): return [word]
    >>> Synchronous(Notes()).find("tea")
    ['tea']
    """

    def __init__(self, target: object) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self._target, name)
        if not iscoroutinefunction(method):
            return method

        @wraps(method)
        def call(*args: Any, **options: Any) -> Any:
            with ThreadPoolExecutor(1) as thread:
                return thread.submit(lambda: asyncio.run(method(*args, **options))).result()

        return call

    def __dir__(self) -> list[str]:
        return dir(self._target)
