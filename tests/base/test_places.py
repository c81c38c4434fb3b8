"""Many calls that compute at once leave the event loop free: few of them are in threads at a time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from biblicus_context.base.effects import Batch, Effect, Effectful, Outcome
from biblicus_context.base.tasks import arun


def computing(
    work: Callable[[Any], Any], argument: Any = None, *, others: int = 0
) -> Effectful[Any]:
    """A computation that makes one call, or several in one batch."""
    batch: Batch = (Effect(work, argument, computes=True),) * (1 + others)
    outcomes: tuple[Outcome, ...] = yield batch
    if outcomes[0].error is not None:
        raise outcomes[0].error
    return outcomes[0].value


async def together(*computations: Effectful[Any]) -> list[Any]:
    return await asyncio.gather(*map(arun, computations))


@pytest.mark.parametrize("others", [0, 3])
def test_two_calls_compute_at_a_time_and_all_are_answered(others: int):
    inside: list[int] = []

    def work(argument: int) -> tuple[int, int]:
        inside.append(argument)
        time.sleep(0.002)
        found = len(inside)
        inside.remove(argument)
        return found, argument

    answers = asyncio.run(together(*(computing(work, n, others=others) for n in range(40))))
    assert [answer for _, answer in answers] == [*range(40)]
    assert max(found for found, _ in answers) <= 2


def test_calls_that_hang_delay_the_others_by_a_moment_only():
    released = threading.Event()

    async def waited() -> str:
        hanging = asyncio.gather(*(arun(computing(lambda _: released.wait(60))) for _ in range(2)))
        await asyncio.sleep(0)
        answer = await asyncio.wait_for(arun(computing(lambda _: "done")), timeout=20)
        assert not hanging.done()
        released.set()
        await hanging
        return answer

    assert asyncio.run(waited()) == "done"


def test_a_call_that_nobody_awaits_any_more_keeps_its_place_while_it_computes():
    """Else callers that give up would fill the machine with threads."""
    released, began = threading.Event(), threading.Semaphore(0)

    def long(_: object) -> None:
        began.release()
        released.wait(60)

    async def given_up() -> bool:
        tasks = [asyncio.ensure_future(arun(computing(long))) for _ in range(2)]
        await asyncio.to_thread(lambda: [began.acquire(), began.acquire()])
        for task in tasks:
            task.cancel()
        next_one = asyncio.ensure_future(arun(computing(lambda _: "done")))
        await asyncio.sleep(0.1)
        is_done = next_one.done()
        released.set()
        await next_one
        return is_done

    assert not asyncio.run(given_up())


def test_a_call_that_fails_leaves_its_place():
    def fail(_: object) -> None:
        raise LookupError("gone")

    async def failed() -> list[Any]:
        calls = [arun(computing(fail)) for _ in range(5)]
        return await asyncio.gather(*calls, return_exceptions=True)

    assert [str(each) for each in asyncio.run(failed())] == ["gone"] * 5
