"""What is asked for at once is made once."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable

import pytest

from biblicus_context.base.single_flight import SingleFlight
from biblicus_context.errors import EmbedderError


class Kitchen:
    """Counts what it makes, and takes its time."""

    def __init__(self, fails: bool = False) -> None:
        self.made: list[list[str]] = []
        self.fails = fails

    def make(self, words: list[str]) -> list[int]:
        self.made.append(words)
        time.sleep(0.1)
        if self.fails:
            raise EmbedderError("the kitchen is closed")
        return [len(word) for word in words]

    async def amake(self, words: list[str]) -> list[int]:
        self.made.append(words)
        await asyncio.sleep(0.1)
        if self.fails:
            raise EmbedderError("the kitchen is closed")
        return [len(word) for word in words]


def in_threads(number: int, work: Callable[[], object]) -> list[object]:
    found: list[object] = []

    def one() -> None:
        try:
            found.append(work())
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=one) for _ in range(number)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(10)
    return found


def test_threads_that_ask_for_the_same_get_it_made_once():
    kitchen, flights = Kitchen(), SingleFlight[str, int]()
    found = in_threads(20, lambda: flights.get(["tea"], kitchen.make))
    assert found == [{"tea": 3}] * 20
    assert kitchen.made == [["tea"]]


def test_tasks_that_ask_for_the_same_get_it_made_once():
    kitchen, flights = Kitchen(), SingleFlight[str, int]()

    async def main() -> list[dict[str, int]]:
        return await asyncio.gather(*(flights.aget(["tea"], kitchen.amake) for _ in range(20)))

    assert asyncio.run(main()) == [{"tea": 3}] * 20
    assert kitchen.made == [["tea"]]


def test_event_loops_of_several_threads_share_the_work():
    kitchen, flights = Kitchen(), SingleFlight[str, int]()
    found = in_threads(8, lambda: asyncio.run(flights.aget(["tea"], kitchen.amake)))
    assert found == [{"tea": 3}] * 8
    assert len(kitchen.made) < 3  # a thread may begin when the others have finished


def test_only_what_nobody_makes_is_made_and_made_together():
    kitchen, flights = Kitchen(), SingleFlight[str, int]()

    async def main() -> list[dict[str, int]]:
        one = flights.aget(["tea", "milk"], kitchen.amake)
        two = flights.aget(["milk", "sugar", "cup", "sugar"], kitchen.amake)
        return await asyncio.gather(one, two)

    assert asyncio.run(main()) == [{"tea": 3, "milk": 4}, {"milk": 4, "sugar": 5, "cup": 3}]
    assert kitchen.made == [["tea", "milk"], ["sugar", "cup"]]


def test_nothing_is_remembered():
    kitchen, flights = Kitchen(), SingleFlight[str, int]()
    for _ in range(2):
        flights.get(["tea"], kitchen.make)
    assert kitchen.made == [["tea"], ["tea"]]


def test_a_failure_reaches_those_that_wait_each_with_an_error_of_its_own_and_nobody_else():
    kitchen, flights = Kitchen(fails=True), SingleFlight[str, int]()
    errors = in_threads(5, lambda: flights.get(["tea"], kitchen.make))
    assert {str(each) for each in errors} == {"the kitchen is closed"}
    assert len({id(each) for each in errors}) == 5
    assert len(kitchen.made) == 1
    kitchen.fails = False
    assert flights.get(["tea"], kitchen.make) == {"tea": 3}

    async def main() -> list[object]:
        asked = (flights.aget(["tea"], kitchen.amake) for _ in range(5))
        return await asyncio.gather(*asked, return_exceptions=True)

    kitchen.fails = True
    assert [type(each) for each in asyncio.run(main())] == [EmbedderError] * 5
    assert len(kitchen.made) == 3


@pytest.mark.parametrize("cancelled", [0, 1, 2])
def test_who_is_cancelled_leaves_the_others_their_values(cancelled: int):
    kitchen, flights = Kitchen(), SingleFlight[str, int]()

    async def main() -> list[object]:
        tasks = [asyncio.create_task(flights.aget(["tea"], kitchen.amake)) for _ in range(3)]
        await asyncio.sleep(0.02)
        tasks[cancelled].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    found = asyncio.run(main())
    assert isinstance(found.pop(cancelled), asyncio.CancelledError)
    assert found == [{"tea": 3}] * 2
    assert kitchen.made == [["tea"]]


def test_work_that_nobody_waits_for_is_cancelled_and_the_next_caller_begins_again():
    kitchen, flights = Kitchen(), SingleFlight[str, int]()

    async def main() -> dict[str, int]:
        first = asyncio.create_task(flights.aget(["tea"], kitchen.amake))
        await asyncio.sleep(0.02)
        first.cancel()
        await asyncio.sleep(0)
        return await flights.aget(["tea"], kitchen.amake)

    assert asyncio.run(main()) == {"tea": 3}
    assert kitchen.made == [["tea"], ["tea"]]


def test_a_loop_that_ends_in_the_middle_leaves_the_work_to_one_that_waits():
    kitchen, flights = Kitchen(), SingleFlight[str, int]()
    began = threading.Event()

    async def leaves() -> None:
        waiting = asyncio.create_task(flights.aget(["tea"], kitchen.amake))
        await asyncio.sleep(0.02)
        began.set()
        await asyncio.sleep(0.02)
        del waiting  # the loop is closed with it

    leaving = threading.Thread(target=lambda: asyncio.run(leaves()))
    leaving.start()
    began.wait(5)
    assert asyncio.run(flights.aget(["tea"], kitchen.amake)) == {"tea": 3}
    leaving.join(5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_that_is_forked_meanwhile_does_not_wait_for_its_parent():
    kitchen, flights = Kitchen(), SingleFlight[str, int]()
    leader = threading.Thread(target=lambda: flights.get(["tea"], kitchen.make))
    leader.start()
    time.sleep(0.03)
    child = os.fork()
    if not child:
        found = flights.get(["tea"], lambda words: [len(word) for word in words])
        os._exit(0 if found == {"tea": 3} else 1)
    _, status = os.waitpid(child, 0)
    leader.join(5)
    assert status == 0
