"""Async methods are called from code that is not async, also where an event loop runs."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from biblicus_context.base import awaited
from biblicus_context.systems.memory import ContextEngine, SynchronousEngine


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def fail() -> None:
    raise LookupError("gone")


def test_the_result_is_returned_and_errors_are_raised():
    assert awaited(double(21)) == 42
    with pytest.raises(LookupError, match="gone"):
        awaited(fail())


def test_it_works_inside_a_running_loop():
    async def main() -> int:
        return awaited(double(4))

    assert asyncio.run(main()) == 8


def test_every_async_method_of_an_engine_is_there_with_the_same_arguments():
    asynchronous = {
        name: method
        for name, method in vars(ContextEngine).items()
        if inspect.iscoroutinefunction(method) and not name.startswith("_")
    }
    assert {"search", "search_batch", "build_context", "preview_context"} <= {*asynchronous}
    for name, method in asynchronous.items():
        own = inspect.signature(getattr(SynchronousEngine, name)).parameters
        if not name.endswith("_by_vector"):
            assert own == inspect.signature(method).parameters
