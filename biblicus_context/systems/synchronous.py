"""Calls the async methods of an object from code that is not async."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any


class Synchronous:
    """The async methods of an object, each as one that returns the result itself.

    It also works where an event loop is running, as in a notebook.
    """

    def __init__(self, target: object) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._target, name)

        @wraps(method)
        def call(*args: Any, **options: Any) -> Any:
            with ThreadPoolExecutor(1) as thread:
                return thread.submit(lambda: asyncio.run(method(*args, **options))).result()

        return call
