"""The threads that answer requests: few, with a short wait that never grows, and a deadline."""

from __future__ import annotations

import asyncio
import contextvars
import math
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, Final, NoReturn, TypeVar

from biblicus_context.base import deadline, remaining
from biblicus_context.service.problems import ProblemError, refusal

T = TypeVar("T")

_SHORTEST_WAIT: Final = 0.025
"""Seconds that a request may wait for a thread, however short requests are."""
_WAITS: Final = 2
"""Times a usual request that one may wait for a thread."""
_CALM: Final = 1.0
"""Seconds without a refusal after which requests may wait again."""
_NEW: Final = 0.1
"""How much of the usual time the last request is."""


class Workers:
    """A bounded number of threads; who would wait too long for one is refused at once.

    Measured: threads answer faster than the event loop (`aassemble`), and more of them do not answer
    more requests, as they share an interpreter. So a long queue would only make every answer slow.
    A few requests that come together wait for each other; while more come than can be answered, none
    waits: a queue that is always full makes every answer late and none more.
    """

    def __init__(
        self, threads: int, most: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.threads, self.most, self._clock = threads, most, clock
        self.in_flight = 0
        """Requests that wait for a thread or have one, also those whose caller has gone."""
        self._usual = 0.0
        self._refused_at = float("-inf")
        self._is_closed = False
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._shared = ThreadPoolExecutor(threads, "biblicus-context-io")
        for number in range(threads):
            name = f"biblicus-context-{number}"
            # Daemons: a retriever that never returns must not keep the process alive.
            threading.Thread(target=self._work, name=name, daemon=True).start()

    def require_room(self) -> None:
        """Refuse a request that would wait too long; called before its body is read."""
        if self.in_flight < self.threads:
            return
        now = self._clock()
        expected = (self.in_flight - self.threads + 1) * self._usual / self.threads
        longest = max(_SHORTEST_WAIT, _WAITS * self._usual)
        is_calm = now - self._refused_at > _CALM
        if is_calm and self.in_flight < self.most and expected <= longest:
            return
        self._refuse(now, expected)

    def _refuse(self, now: float, expected: float) -> NoReturn:
        self._refused_at = now
        after = {"retry-after": str(max(1, math.ceil(expected)))}
        fix = "Try again after the seconds of Retry-After."
        raise refusal(429, "the server is busy", fix=fix, headers=after)

    async def run(self, work: Callable[[], T], seconds: float) -> T:
        """What the work returns, done in a thread; after so many seconds a 504.

        A thread cannot be stopped: until its work ends, it counts as a request in flight.
        """
        if self.in_flight >= max(self.most, self.threads):
            # Others were let in while the body of this one was read.
            self._refuse(self._clock(), self._usual)
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        context = contextvars.copy_context()
        self.in_flight += 1
        until = time.monotonic() + seconds

        def in_time() -> T:
            left = until - time.monotonic()
            if left <= 0:  # it waited too long: nobody would get what it returns
                raise deadline_passed(seconds)
            with deadline(left):
                try:
                    return work()
                except Exception:
                    if remaining() == 0:  # whatever failed then failed for that
                        raise deadline_passed(seconds) from None
                    raise

        def task() -> None:
            began = time.perf_counter()
            outcome: tuple[Any, BaseException | None]
            try:
                outcome = context.run(in_time), None
            except BaseException as error:  # it is raised where it is awaited
                outcome = None, error
            took = time.perf_counter() - began
            loop.call_soon_threadsafe(self._ended, done, outcome, took)

        self._tasks.put(task)
        late = loop.call_later(seconds, _give_up, done, seconds)
        try:
            return await done
        finally:
            late.cancel()

    def _ended(
        self, done: asyncio.Future[Any], outcome: tuple[Any, BaseException | None], took: float
    ) -> None:
        self.in_flight -= 1
        self._usual += (took - self._usual) * (_NEW if self._usual else 1.0)
        value, error = outcome
        if done.done():
            return
        if error is None:
            done.set_result(value)
        else:
            done.set_exception(error)

    def close(self) -> None:
        """End the threads that wait for work."""
        self._is_closed = True
        for _ in range(self.threads):
            self._tasks.put(None)
        self._shared.shutdown(wait=False, cancel_futures=True)

    def _work(self) -> None:
        loop = asyncio.new_event_loop()
        loop.set_default_executor(self._shared)
        _LOOP.loop = loop
        try:
            while (task := self._tasks.get()) is not None:
                task()
        finally:
            loop.close()


def awaited(work: Coroutine[Any, Any, T]) -> T:
    """The result of async work, in the event loop of this worker; at the deadline it is cancelled."""
    result: T = _LOOP.loop.run_until_complete(asyncio.wait_for(work, remaining()))
    return result


def deadline_passed(seconds: float) -> ProblemError:
    """What a caller gets who would wait too long."""
    fix = "Ask for less, or try again later."
    return refusal(504, f"no answer within {seconds:g} seconds", name="no answer in time", fix=fix)


class _OwnLoop(threading.local):
    loop: asyncio.AbstractEventLoop


_LOOP: Final = _OwnLoop()


def _give_up(done: asyncio.Future[Any], seconds: float) -> None:
    if not done.done():
        done.set_exception(deadline_passed(seconds))
