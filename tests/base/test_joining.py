"""Calls that read together."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial

import pytest
from hypothesis import given, strategies as st

from biblicus_context.base.effects import Effect, Effectful, Outcome
from biblicus_context.base.forks import GATE
from biblicus_context.base.joining import asked, by_caller, holding, joined
from biblicus_context.base.sharing import shared, sharing
from biblicus_context.base.single_flight import SingleFlight
from biblicus_context.base.tasks import arun
from biblicus_context.base.threads import run

_WHO: ContextVar[str] = ContextVar("who", default="nobody")


@dataclass(eq=False)
class Doubling:
    """Answers with twice the number; it has no answer to negative ones."""

    trips: list[list[int]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)

    def answer(self, questions: Sequence[int]) -> Sequence[Outcome]:
        self.trips.append([*questions])
        self.threads.add(threading.get_ident())
        return [
            Outcome(2 * each) if each >= 0 else Outcome(error=ValueError(each))
            for each in questions
        ]


def _asking(of: Doubling, start: int, times: int) -> Callable[[], int]:
    def call() -> int:
        value = start
        for _ in range(times):
            value = asked(of, value)
        return value

    return call


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=6))
def test_calls_get_what_they_get_alone_in_the_trips_of_the_longest(
    calls: list[tuple[int, int]],
) -> None:
    """Whatever the others ask, and however often."""
    of = Doubling()
    made = joined([_asking(of, start, times) for start, times in calls])
    assert made == [start * 2**times for start, times in calls]
    assert len(of.trips) == max((times for _, times in calls), default=0)


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 3)), min_size=2, max_size=6))
def test_a_lock_that_is_held_while_something_is_asked_blocks_nobody_for_good(
    calls: list[tuple[bool, int]],
) -> None:
    """Those that need the lock wait for each other, and the rest goes on."""
    of, lock = Doubling(), threading.Lock()

    def locked(work: Callable[[], int]) -> Callable[[], int]:
        def call() -> int:
            with holding(lock):
                return work()

        return call

    works = [(needs, _asking(of, 1, times)) for needs, times in calls]
    made = joined([locked(each) if needs else each for needs, each in works])
    assert made == [2**times for _, times in calls]
    alone = sum(times for needs, times in calls if needs)
    assert len(of.trips) == max([alone, *(times for needs, times in calls if not needs)])


def test_a_lock_of_another_thread_is_waited_for() -> None:
    """Also where all calls need it, so that nobody asks for anything meanwhile."""
    of, lock, taken = Doubling(), threading.Lock(), threading.Event()

    def hold() -> None:
        with lock:
            taken.set()
            threading.Event().wait(0.02)

    def call() -> int:
        with holding(lock):
            return asked(of, 3)

    other = threading.Thread(target=hold)
    other.start()
    taken.wait()
    assert joined([call, call]) == [6, 6]
    other.join()


def test_what_another_call_makes_is_waited_for() -> None:
    """The one that makes it may ask for something itself."""
    of, flights = Doubling(), SingleFlight[str, int]()

    def call() -> int:
        return flights.get(["tea"], lambda _: [asked(of, 4)])["tea"]

    assert joined([call, call, call]) == [8, 8, 8]
    assert of.trips == [[4]]


def test_questions_are_asked_in_the_thread_of_the_caller() -> None:
    """A database need not know that there were others."""
    of = Doubling()
    joined([_asking(of, 1, 2), _asking(of, 2, 2)])
    assert of.threads == {threading.get_ident()}


def test_what_is_shared_is_opened_once_and_by_the_thread_that_closes_it() -> None:
    """Whichever of the calls needs it first."""
    threads: list[tuple[str, int]] = []

    @contextmanager
    def open_() -> Iterator[object]:
        threads.append(("opened", threading.get_ident()))
        yield object()
        threads.append(("closed", threading.get_ident()))

    def call() -> int:
        with shared("notes", open_, by_caller) as notes:
            return id(notes)

    with sharing():
        assert len({*joined([call, call, call])}) == 1
        assert threads == [("opened", threading.get_ident())]
    assert threads[1:] == [("closed", threading.get_ident())]


def test_an_error_of_an_answer_is_raised_where_it_was_asked() -> None:
    """The others are answered."""
    of = Doubling()

    def careful() -> int:
        try:
            return asked(of, -1)
        except ValueError:
            return asked(of, 5)

    assert joined([careful, _asking(of, 1, 2)]) == [10, 4]
    with pytest.raises(ValueError, match="-2"):
        joined([_asking(of, -2, 1), _asking(of, 1, 3)])
    with pytest.raises(ValueError, match="-3"):
        asked(of, -3)


def test_a_database_that_fails_ends_all_calls() -> None:
    """No thread is left behind, and each call leaves what it has entered."""
    left: list[int] = []

    class Broken:
        def answer(self, questions: Sequence[int]) -> Sequence[Outcome]:
            raise KeyboardInterrupt

    of, before = Broken(), threading.active_count()

    def call(number: int) -> Callable[[], None]:
        def work() -> None:
            try:
                asked(of, number)
            finally:
                left.append(number)
                asked(of, number)

        return work

    with pytest.raises(KeyboardInterrupt):
        joined([call(1), call(2)])
    for each in threading.enumerate():
        if each.daemon and each is not threading.current_thread():
            each.join(1)
    assert sorted(left) == [1, 2]
    assert threading.active_count() <= before


def test_calls_see_the_context_of_their_caller() -> None:
    """Such as the user that a program notes in it."""
    _WHO.set("ann")
    of = Doubling()

    def call() -> str:
        asked(of, 1)
        return _WHO.get()

    assert joined([call, call]) == ["ann", "ann"]


def test_a_fork_waits_for_calls_that_have_begun() -> None:
    """And a call that enters a store meanwhile does not wait for the fork: both would wait for ever."""
    of, began = Doubling(), threading.Event()

    def fork() -> None:
        began.wait()
        if child := os.fork():
            os.waitpid(child, 0)
        else:
            os._exit(0)

    def call() -> int:
        with GATE.inside():
            began.set()
            threading.Event().wait(0.02)
            return asked(of, 1)

    forking = threading.Thread(target=fork)
    forking.start()
    assert joined([call, call]) == [2, 2]
    forking.join()


def test_a_single_call_asks_by_itself() -> None:
    """Nobody is there to wait for."""
    of = Doubling()
    assert joined([_asking(of, 1, 2)]) == [4]
    assert of.trips == [[1], [2]]


@given(st.recursive(st.integers(0, 3), lambda inner: st.lists(inner, max_size=4), max_leaves=10))
def test_calls_may_make_several_calls_themselves(tree: object) -> None:
    """They travel with all others: the deepest path decides how many trips there are."""
    of = Doubling()

    def made(node: object) -> object:
        if isinstance(node, int):
            return _asking(of, 1, node)()
        assert isinstance(node, list)
        found = joined([partial(made, each) for each in node])
        return [asked(of, len(found)), *found]

    def expected(node: object) -> object:
        return (
            2**node
            if isinstance(node, int)
            else [2 * len(node), *map(expected, node)]
            if isinstance(node, list)
            else None
        )

    def depth(node: object) -> int:
        assert isinstance(node, int | list)
        return node if isinstance(node, int) else 1 + max(map(depth, node), default=0)

    assert made(tree) == expected(tree)
    assert len(of.trips) == depth(tree)


def test_locks_are_waited_for_in_whatever_order_others_give_them_back() -> None:
    """One call waits for another one of the same, which waits for a thread."""
    of, inner, outer, taken = Doubling(), threading.Lock(), threading.Lock(), threading.Event()

    def hold() -> None:
        with inner:
            taken.set()
            threading.Event().wait(0.03)

    def both() -> int:
        with holding(outer), holding(inner):
            return asked(of, 3)

    def one() -> int:
        with holding(outer):
            return asked(of, 4)

    other = threading.Thread(target=hold)
    other.start()
    taken.wait()
    assert joined([both, one, one]) == [6, 8, 8]
    other.join()


def _batch(of: Doubling, *, joins: bool) -> Effectful[list[int]]:
    def double(value: int) -> int:
        return asked(of, asked(of, value))

    effects = tuple(Effect(double, each, joins=joins) for each in (1, 2, 3))
    plain = Effect(lambda each: -each, 7)
    outcomes = yield (*effects[:2], plain, effects[2])
    return [each.value for each in outcomes]


@pytest.mark.parametrize("joins", [True, False])
def test_both_drivers_let_calls_that_join_read_together(*, joins: bool) -> None:
    """Their results are in the order of the calls, next to those of other calls."""
    of, others = Doubling(), Doubling()
    assert run(_batch(of, joins=joins)) == [4, 8, -7, 12]
    assert asyncio.run(arun(_batch(others, joins=joins))) == [4, 8, -7, 12]
    assert len(of.trips) == len(others.trips) == (2 if joins else 6)
