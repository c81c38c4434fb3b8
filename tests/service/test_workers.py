"""The threads that answer: who gets one, who waits for one, and who is refused."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from biblicus_context.service.problems import ProblemError
from biblicus_context.service.workers import Workers


class Pool:
    """Two threads with a clock of our own, and requests that last until they are let go."""

    def __init__(self, most: int = 64) -> None:
        self.now = 0.0
        self.workers = Workers(2, most, clock=lambda: self.now)
        self._go = Event()
        self._asked: list[asyncio.Task[bool]] = []
        self.refused: list[ProblemError] = []

    async def ask(self) -> bool:
        """Whether a request is let in; it then stays until `end`."""
        try:
            self.workers.require_room()
        except ProblemError as error:
            self.refused.append(error)
            return False
        self._asked.append(asyncio.create_task(self.workers.run(lambda: self._go.wait(30), 60)))
        await asyncio.sleep(0)
        return True

    async def end(self) -> None:
        self._go.set()
        await asyncio.gather(*self._asked)
        self._asked.clear()
        self._go.clear()


def asked(count: int, most: int = 64) -> tuple[list[bool], list[bool], list[bool]]:
    """Who is let in of so many requests at once; of as many right after; and after two calm seconds."""

    async def run() -> tuple[list[bool], list[bool], list[bool]]:
        pool = Pool(most)
        try:
            first = [await pool.ask() for _ in range(count)]
            await pool.end()
            again = [await pool.ask() for _ in range(count)]
            await pool.end()
            assert all(each.problem.status == 429 for each in pool.refused)
            assert all(int(each.headers["retry-after"]) >= 1 for each in pool.refused)
            pool.now += 2
            later = [await pool.ask() for _ in range(count)]
            await pool.end()
            return first, again, later
        finally:
            pool.workers.close()

    return asyncio.run(run())


def test_a_few_requests_that_come_together_are_all_answered():
    assert asked(3) == ([True] * 3, [True] * 3, [True] * 3)


def test_while_more_come_than_are_answered_none_waits():
    first, again, later = asked(6, most=4)
    assert first == [True] * 4 + [False] * 2
    assert again == [True] * 2 + [False] * 4
    assert later[:3] == [True] * 3  # a second after the last refusal a few may wait again


def test_a_request_that_nobody_waits_for_counts_until_it_ends():
    async def run() -> None:
        pool, go = Workers(1, 1), Event()
        with pytest.raises(ProblemError) as late:
            await pool.run(lambda: go.wait(30), 0.01)
        assert late.value.problem.status == 504
        assert pool.in_flight == 1
        go.set()
        while pool.in_flight:
            await asyncio.sleep(0.001)
        assert await pool.run(lambda: "answered", 30) == "answered"
        pool.close()

    asyncio.run(run())


def test_an_error_of_the_work_reaches_who_waits():
    async def run() -> None:
        pool = Workers(1, 4)
        with pytest.raises(KeyError):
            await pool.run(lambda: {}["nothing"], 30)
        pool.close()

    asyncio.run(run())


def test_no_more_run_than_are_allowed_though_all_were_let_in_together() -> None:
    never = Event()
    workers = Workers(1, 2)

    async def three() -> list[object]:
        for _ in range(3):
            workers.require_room()  # none of them runs yet
        runs = [asyncio.ensure_future(workers.run(never.wait, 20)) for _ in range(3)]
        done, _ = await asyncio.wait(runs, timeout=20, return_when=asyncio.FIRST_COMPLETED)
        never.set()
        return [each.exception() for each in done] + await asyncio.gather(*runs[:2])

    (refused, *answers) = asyncio.run(three())
    workers.close()
    assert isinstance(refused, ProblemError)
    assert refused.problem.status == 429
    assert answers == [True, True]
