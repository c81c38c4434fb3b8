"""Reads of async callers: in a thread, so that the event loop is free."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from biblicus_context.base.compute_lock import one_at_a_time
from biblicus_context.base.doors import door
from biblicus_context.base.effects import Effect, Outcome
from biblicus_context.base.sharing import sharing
from biblicus_context.base.threads import calls
from biblicus_context.corpora.corpus import Corpus

T = TypeVar("T")


@door
async def read_in_thread(corpus: Corpus, read: Callable[[], T]) -> T:
    """Read a corpus in a thread; a read or a search that only computes takes its turn.

    Those that wait for nothing but a store on another machine and begin at the same time, such as the
    searches of one context, read together. Any other waits most of its time: it runs next to others.
    What it reads in a row is of one view.
    """
    if corpus.index.joins():
        return await _with_others(read)
    reading = partial(_together, read)
    return await asyncio.to_thread(
        partial(one_at_a_time, reading) if corpus.index.computes() else reading
    )


@door
async def read_all_in_thread(*reads: tuple[Corpus, Callable[[], T]]) -> list[T]:
    """Short reads of several corpora: in one thread, as another one costs as much as a read.

    Those that only compute are made in a row, in their turn; others wait together.
    """
    effects = [
        Effect(
            lambda _, read=read: read(),  # type: ignore[misc] # bound now, not when it is called
            None,
            computes=corpus.index.computes(),
            joins=corpus.index.joins(),
        )
        for corpus, read in reads
    ]
    made = partial(calls, effects)
    is_computed = all(each.computes for each in effects)
    outcomes = await asyncio.to_thread(partial(one_at_a_time, made) if is_computed else made)
    for each in outcomes:
        if each.error is not None:
            raise each.error
    return [each.value for each in outcomes]


def _together(read: Callable[[], T]) -> T:
    with sharing():
        return read()


class _Reads:
    """Reads that one event loop was asked for and has not begun."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Effect, asyncio.Future[Outcome]]] = []

    async def outcome(self, read: Callable[[], Any]) -> Outcome:
        """That of a read, which begins once the tasks that are ready have asked for theirs."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(loop.call_soon, self._begin)
        context, done = copy_context(), loop.create_future()
        self._waiting.append((Effect(lambda _: context.run(read), None, joins=True), done))
        outcome: Outcome = await done
        return outcome

    def _begin(self) -> None:
        waiting, self._waiting = self._waiting, []
        asyncio.get_running_loop().create_task(_read(waiting))


_OF_LOOPS: Final = WeakKeyDictionary[asyncio.AbstractEventLoop, _Reads]()


async def _with_others(read: Callable[[], T]) -> T:
    reads = _OF_LOOPS.setdefault(asyncio.get_running_loop(), _Reads())
    outcome = await reads.outcome(read)
    if outcome.error is not None:
        raise outcome.error
    value: T = outcome.value
    return value


async def _read(waiting: list[tuple[Effect, asyncio.Future[Outcome]]]) -> None:
    try:
        outcomes = await asyncio.to_thread(calls, [effect for effect, _ in waiting])
    except BaseException as error:  # whoever waits has to know
        outcomes = [Outcome(error=error)] * len(waiting)
    for (_, done), outcome in zip(waiting, outcomes, strict=True):
        if not done.done():
            done.set_result(outcome)
