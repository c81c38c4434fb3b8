"""Calls that read from other machines read together: what all of them ask for travels in one trip.

Each call is plain code that asks when it needs to know something. Of several, one runs at a time, until it
asks or ends; once all that have not ended ask, their questions go out at once. So several calls take as many
trips as the one of them that asks most often, and each gets the answers that it would get alone.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import Any, Final, Protocol, TypeVar, cast

from biblicus_context.base.effects import Outcome
from biblicus_context.base.forks import act_for
from biblicus_context.base.sharing import opened, share

T = TypeVar("T")


class Answering(Protocol):
    """What questions are asked of, such as a database; equal ones answer for each other."""

    def answer(self, questions: Sequence[Any], /) -> Sequence[Outcome]:
        """An outcome for each question, in their order: one trip."""
        ...


class Lock(Protocol):
    """A lock of the standard library."""

    def acquire(self, *, timeout: float = -1) -> bool: ...
    def release(self) -> None: ...


_MOMENT: Final = 0.005
"""Seconds for which one of several calls waits, before others that wait try again."""


class _EndedError(BaseException):
    """Nobody waits for the call any more."""


class _OfThread(threading.local):
    call: _Call | None = None
    """The call that this thread makes, if it is one of several."""


_OWN: Final = _OfThread()


def joined(calls: Sequence[Callable[[], T]]) -> list[T]:
    """The results of several calls that ask together, in their order; an error once all have ended.

    They run in threads of their own, and never two at once; what one of them opens by `shared` is
    opened and closed by the thread of the caller. Inside of one of several calls, they are further ones.

    >>> class Doubling:
    ...     trips = 0
    ...     def answer(self, questions):
    ...         self.trips += 1
    ...         return [Outcome(2 * each) for each in questions]
    >>> of = Doubling()
    >>> joined([lambda: asked(of, 1), lambda: asked(of, asked(of, 2))]), of.trips
    ([2, 8], 2)
    """
    if len(calls) <= 1:
        return [each() for each in calls]
    own = _OWN.call
    return cast("list[T]", _Joined(calls).results() if own is None else own.several(calls))


def asked(of: Answering, question: Any) -> Any:
    """The answer to a question; one of several calls gets it once the others ask as well, or have ended."""
    (answer,) = asked_together(of, [question])
    return answer


def asked_together(of: Answering, questions: Sequence[Any]) -> list[Any]:
    """The answers to several questions that travel together."""
    call = _OWN.call
    outcomes = of.answer(questions) if call is None else call.ask(of, questions)
    for each in outcomes:
        if each.error is not None:
            raise each.error
    return [each.value for each in outcomes]


def by_caller(work: Callable[[], T]) -> T:
    """What the thread of the caller has to do, which lives longer than one of several calls."""
    call = _OWN.call
    if call is None:
        return work()
    outcome = call.by_caller(work)
    if outcome.error is not None:
        raise outcome.error
    return cast("T", outcome.value)


def wait_until(is_there: Callable[[float | None], bool]) -> None:
    """Wait for what another thread has; one of several calls lets the others go on, which may have it.

    `is_there` waits up to so many seconds itself (None: as long as it takes).
    """
    call = _OWN.call
    if call is None:
        is_there(None)
        return
    while not is_there(_MOMENT if call.is_alone else 0.0):
        call.wait()


class holding:  # noqa: N801 - it is used as a function, and a generator costs small calls time
    """While a lock is held in which something is asked: one of several calls may not block the others."""

    __slots__ = ("_lock",)

    def __init__(self, lock: Lock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        lock = self._lock
        if not lock.acquire(timeout=0):  # mostly, nobody has it
            wait_until(lambda seconds: lock.acquire(timeout=-1 if seconds is None else seconds))

    def __exit__(self, *raised: object) -> None:
        self._lock.release()


class _Call:
    """One of several calls, which runs when it is its turn."""

    def __init__(self, work: Callable[[], Any], over: _Joined, outer: _Call | None = None) -> None:
        self._work, self._over, self.outer = work, over, outer
        self._turn = threading.Semaphore(0)
        self.asks: tuple[Answering, Sequence[Any]] | None = None
        self.answers: Sequence[Outcome] = ()
        self.wants: Callable[[], Any] | None = None
        self.outcome = Outcome()
        """What the caller did for it; in the end, what the call made."""
        self.is_alone = False
        """Whether nobody asks, and this is the first that waits: it may take a moment."""
        self.has_ended = False
        self.is_given_up = False
        self.inner: list[_Call] = []
        """The calls that it waits for."""
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._run,), daemon=True)

    def go_on(self) -> None:
        """Run until it pauses or ends."""
        if self._thread.ident is None:
            self._thread.start()
        self._turn.release()

    def give_up(self) -> None:
        """End at the next pause."""
        self.is_given_up = True
        for each in self.inner:
            each.give_up()
        if self._thread.ident is not None:
            self._turn.release()

    def ask(self, of: Answering, questions: Sequence[Any]) -> Sequence[Outcome]:
        self.asks = of, questions
        self._pause()
        self.asks = None
        return self.answers

    def by_caller(self, work: Callable[[], Any]) -> Outcome:
        self.wants = work
        self._pause()
        self.wants = None
        return self.outcome

    def several(self, works: Sequence[Callable[[], Any]]) -> list[Any]:
        self.inner = [_Call(each, self._over, self) for each in works]
        self._pause()
        made, self.inner = self.inner, []
        return _results(made)

    @property
    def freed(self) -> list[_Call]:
        """The call that waits for this one, if for no other as well."""
        outer = self.outer
        return [outer] if outer and all(each.has_ended for each in outer.inner) else []

    def wait(self) -> None:
        self._pause()

    def _pause(self) -> None:
        if self.is_given_up:
            raise _EndedError
        self._over.turn.release()
        self._turn.acquire()
        if self.is_given_up:
            raise _EndedError

    def _run(self) -> None:
        self._turn.acquire()
        _OWN.call = self
        try:
            act_for(self._over.thread)
            share(self._over.opened)
            self.outcome = Outcome(self._work())
        except BaseException as error:
            self.outcome = Outcome(error=error)
        self.has_ended = True
        self._over.turn.release()


class _Joined:
    """Several calls, and the thread that asks for them."""

    def __init__(self, works: Sequence[Callable[[], Any]]) -> None:
        self.turn = threading.Semaphore(0)
        self.thread = threading.get_ident()
        self.opened = opened()
        self._calls = [_Call(each, self) for each in works]

    def results(self) -> list[Any]:
        try:
            self._run_all()
        except BaseException:
            for each in self._calls:
                each.give_up()
            raise
        return _results(self._calls)

    def _run_all(self) -> None:
        ready = [*self._calls]
        while ready:
            asking, waiting = list[_Call](), list[_Call]()
            while ready:
                call = ready.pop(0)
                self._go_on(call)
                if call.has_ended:
                    ready[:0] = call.freed
                elif call.inner:
                    ready[:0] = call.inner
                else:
                    (asking if call.asks else waiting).append(call)
            self._answer(asking)
            for number, each in enumerate(waiting):
                each.is_alone = not asking and not number
            ready = [*asking, *waiting]

    def _go_on(self, call: _Call) -> None:
        call.go_on()
        self.turn.acquire()
        while call.wants is not None:
            call.outcome = _outcome(call.wants)
            call.go_on()
            self.turn.acquire()

    def _answer(self, calls: Sequence[_Call]) -> None:
        asked_of: dict[Answering, list[_Call]] = {}
        for each in calls:
            assert each.asks is not None
            asked_of.setdefault(each.asks[0], []).append(each)
        for of, group in asked_of.items():
            asks = [each.asks[1] for each in group if each.asks is not None]
            outcomes = iter(of.answer([*chain.from_iterable(asks)]))
            for call, questions in zip(group, asks, strict=True):
                call.answers = [*islice(outcomes, len(questions))]


def _results(calls: Sequence[_Call]) -> list[Any]:
    for each in calls:
        if each.outcome.error is not None:
            raise each.outcome.error
    return [each.outcome.value for each in calls]


def _outcome(work: Callable[[], Any]) -> Outcome:
    try:
        return Outcome(work())
    except BaseException as error:
        return Outcome(error=error)
