"""A cache or a log that raises or hangs is skipped."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from typing import Any

import pytest

from biblicus_context.base import best_effort
from biblicus_context.base.best_effort import BestEffort

SECRET = "redis://user:hunter2@cache.example"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def refuse() -> Any:
    raise ConnectionError(SECRET)


def test_a_call_that_raises_is_skipped_with_one_warning(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.WARNING)
    calls = BestEffort("answer cache", {})
    assert [calls.call(refuse, otherwise=None) for _ in range(200)] == [None] * 200
    (warning,) = caplog.records
    assert re.fullmatch(
        r"the answer cache dict failed: ConnectionError \(test_best_effort.py, line \d+\)\. "
        "It is skipped, and tried again later",
        warning.getMessage(),
    )
    assert "hunter2" not in caplog.text


def test_what_works_again_is_used_again_and_its_next_failure_is_said(
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level(logging.INFO)
    clock = Clock()
    calls = BestEffort("log", [], clock=clock)
    assert calls.call(refuse, otherwise=0) == 0
    clock.now += 61
    assert [calls.call(lambda: 1, otherwise=0) for _ in range(3)] == [1, 1, 1]
    assert calls.call(refuse, otherwise=0) == 0
    levels = [each.levelname for each in caplog.records]
    assert levels == ["WARNING", "INFO", "WARNING"]


def test_a_call_that_hangs_costs_one_wait_and_then_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(best_effort, "PATIENCE", 0.1)
    asked, calls = threading.Event(), BestEffort("answer cache", {})
    began = time.perf_counter()
    assert [calls.call(asked.wait, otherwise=False) for _ in range(50)] == [False] * 50
    assert time.perf_counter() - began < 0.5
    asked.set()


def test_a_cache_that_hangs_for_good_keeps_few_threads(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(best_effort, "PATIENCE", 0.01)
    clock, asked = Clock(), threading.Event()
    calls = BestEffort("answer cache", {}, clock=clock)
    before = threading.active_count()
    for _ in range(20):
        calls.call(asked.wait, otherwise=False)
        clock.now += 1_000
    assert threading.active_count() - before <= 8
    asked.set()
    time.sleep(0.05)
    clock.now += 1_000
    assert calls.call(lambda: True, otherwise=False)


def test_only_one_caller_tries_whether_it_works_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(best_effort, "PATIENCE", 0.2)
    clock, asked = Clock(), list[int]()
    calls = BestEffort("answer cache", {}, clock=clock)
    calls.call(refuse, otherwise=None)
    clock.now += 1_000

    def slow() -> None:
        asked.append(1)
        time.sleep(0.1)

    threads = [threading.Thread(target=lambda: calls.call(slow, otherwise=None)) for _ in range(10)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert asked == [1]


def test_async_callers_get_the_same_and_their_loop_stays_free(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(best_effort, "PATIENCE", 0.2)
    calls, slow = BestEffort("answer cache", {}), BestEffort("log", [])

    async def answers() -> int:
        return 7

    async def main() -> tuple[Any, ...]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        hung = await slow.acall(lambda: time.sleep(0.5), otherwise=None)
        ticking.cancel()
        return (
            hung,
            ticks > 5,
            await calls.acall(answers, otherwise=0),
            await calls.acall(lambda: 8, otherwise=0),
            await calls.acall(refuse, otherwise=9),
            await slow.acall(lambda: 1, otherwise=2),
        )

    assert asyncio.run(main()) == (None, True, 7, 8, 9, 2)


def test_a_request_to_stop_the_program_is_not_swallowed():
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        BestEffort("log", []).call(stop, otherwise=None)
