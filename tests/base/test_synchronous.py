"""Async methods are called from code that is not async, also where an event loop runs."""

from __future__ import annotations

import asyncio

import pytest

from biblicus_context.systems import Synchronous


class Target:
    async def double(self, number: int) -> int:
        """Twice as much."""
        await asyncio.sleep(0)
        return 2 * number

    async def fail(self) -> None:
        raise LookupError("gone")


def test_the_result_is_returned_and_errors_are_raised():
    sync = Synchronous(Target())
    assert sync.double(21) == 42
    assert sync.double.__doc__ == "Twice as much."
    with pytest.raises(LookupError, match="gone"):
        sync.fail()
    with pytest.raises(AttributeError):
        sync.unknown()


def test_it_works_inside_a_running_loop():
    async def main() -> int:
        return Synchronous(Target()).double(4)

    assert asyncio.run(main()) == 8
