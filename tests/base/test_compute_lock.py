"""Work that only computes takes turns, and never waits long for its own."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from biblicus_context.base import compute_lock
from biblicus_context.base.compute_lock import one_at_a_time
from biblicus_context.base.effects import Effect, perform
from biblicus_context.base.threads import run


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread of a busy machine is taken for one that computes for long."""
    monkeypatch.setattr(compute_lock, "_PATIENCE", 60.0)


def most_at_once() -> int:
    """How many of a dozen pieces of work, in four threads, are ever done at the same time."""
    inside: list[int] = []

    def work() -> int:
        inside.append(1)
        time.sleep(0.001)
        found = len(inside)
        inside.pop()
        return found

    with ThreadPoolExecutor(4) as threads:
        return max(threads.map(lambda _: one_at_a_time(work), range(12)))


def test_work_of_several_threads_is_done_one_after_another():
    assert most_at_once() == 1


def test_long_work_delays_other_work_by_a_moment_only(monkeypatch: pytest.MonkeyPatch):
    """Else a search of a large corpus would make all other sources of a call late."""
    monkeypatch.setattr(compute_lock, "_PATIENCE", 0.01)
    began, ended = threading.Event(), threading.Event()

    def long() -> bool:
        began.set()
        return ended.wait(timeout=60)

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(one_at_a_time, long)
        assert began.wait(timeout=60)
        assert threads.submit(one_at_a_time, lambda: "done").result(timeout=60) == "done"
        assert not first.done()
        ended.set()
        assert first.result()


def test_work_inside_of_work_does_not_wait_for_itself():
    assert one_at_a_time(lambda: one_at_a_time(lambda: "done")) == "done"
    assert most_at_once() == 1


def test_searches_of_several_threads_are_computed_one_after_another():
    inside, most = [0], [0]

    def compute(_: object) -> None:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.001)
        inside[0] -= 1

    def assemble(_: int) -> None:
        run(perform(Effect(compute, None, computes=True)))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(assemble, range(12)))
    assert most == [1]


def test_work_that_fails_ends_its_turn():
    def fail() -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        one_at_a_time(fail)
    assert most_at_once() == 1
