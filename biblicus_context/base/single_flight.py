"""What several callers ask for at once is made once."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING, Generic, TypeVar

from biblicus_context.base.forks import child_lock
from biblicus_context.base.joining import wait_until

if TYPE_CHECKING:
    import asyncio

K = TypeVar("K")
V = TypeVar("V")


class SingleFlight(Generic[K, V]):
    """Values that are being made now, by key: who asks meanwhile waits for them.

    Nothing is remembered: a failure reaches those that wait for it, and the next caller tries again.
    A caller that is cancelled stops waiting, and the others get their values; where nobody waits any
    more, the work is cancelled. One object serves threads (`get`) or tasks (`aget`), also those of
    several event loops, but not both: a thread would wait for a task of its own loop.

    >>> flights = SingleFlight[str, int]()
    >>> flights.get(["tea", "milk"], lambda words: [len(word) for word in words])
    {'tea': 3, 'milk': 4}
    """

    def __init__(self) -> None:
        # By process: a child that is forked has no thread that would finish what its parent makes.
        self._flights: dict[tuple[int, K], _Flight[K, V]] = {}
        self._lock = child_lock()

    def get(self, keys: Iterable[K], make: Callable[[list[K]], Sequence[V]]) -> dict[K, V]:
        """The values of keys; `make` gets those that nobody makes now, and returns one value for each."""
        wanted = [*dict.fromkeys(keys)]
        while True:
            own, flights = self._joined(wanted)
            try:
                if own is not None:
                    made = self._fly(own, make)
                    if len(made) == len(wanted):  # nothing is made by anybody else
                        return made
                return {key: each.values()[key] for key, each in zip(wanted, flights, strict=True)}
            except _AbandonedError:  # who made it was stopped, and nobody else has failed
                continue
            finally:
                self._leave(flights)

    async def aget(
        self, keys: Iterable[K], make: Callable[[list[K]], Awaitable[Sequence[V]]]
    ) -> dict[K, V]:
        """The same for tasks."""
        import asyncio  # few sync programs need it

        wanted = [*dict.fromkeys(keys)]
        while True:
            own, flights = self._joined(wanted)
            try:
                if own is not None:
                    # A task of its own, so that the caller can be cancelled and the others go on.
                    own.task = asyncio.create_task(self._afly(own, make))
                for each in dict.fromkeys(flights):
                    await asyncio.wait([asyncio.wrap_future(each.made)])
                return {key: each.values()[key] for key, each in zip(wanted, flights, strict=True)}
            except _AbandonedError:
                continue
            finally:
                self._leave(flights)

    def _joined(self, wanted: Sequence[K]) -> tuple[_Flight[K, V] | None, list[_Flight[K, V]]]:
        """The flight that the caller has to make, if any, and the one of each key."""
        process = os.getpid()
        with self._lock:
            missing = [key for key in wanted if (process, key) not in self._flights]
            own: _Flight[K, V] | None = _Flight(missing) if missing else None
            if own is not None:
                self._flights.update(dict.fromkeys(((process, key) for key in missing), own))
            flights = [self._flights[process, key] for key in wanted]
            for each in dict.fromkeys(flights):
                each.waiting += 1
        return own, flights

    def _leave(self, flights: Sequence[_Flight[K, V]]) -> None:
        with self._lock:
            for each in dict.fromkeys(flights):
                each.waiting -= 1
                if not each.waiting and each.task is not None and not each.made.done():
                    # Nobody may join any more: the next caller begins again.
                    self._forget(each)
                    with suppress(RuntimeError):  # its event loop is closed
                        each.task.get_loop().call_soon_threadsafe(each.task.cancel)

    def _fly(self, own: _Flight[K, V], make: Callable[[list[K]], Sequence[V]]) -> dict[K, V]:
        try:
            made = make([*own.keys])
            values = dict(zip(own.keys, made, strict=True))
        except Exception as error:
            self._land(own, error)
            raise
        except BaseException:  # the end of a thread or of the program, not of the work
            self._land(own, _AbandonedError())
            raise
        self._land(own, None, values)
        return values

    async def _afly(
        self, own: _Flight[K, V], make: Callable[[list[K]], Awaitable[Sequence[V]]]
    ) -> None:
        try:
            made = await make([*own.keys])
            values = dict(zip(own.keys, made, strict=True))
        except Exception as error:  # raised by each that waits
            self._land(own, error)
        except BaseException:  # a cancellation: nobody waits, or the event loop ends
            self._land(own, _AbandonedError())
            raise
        else:
            self._land(own, None, values)

    def _land(
        self, own: _Flight[K, V], error: Exception | None, values: dict[K, V] | None = None
    ) -> None:
        with self._lock:
            self._forget(own)
        # The error is a part of the result: an exception of a future that nobody reads is logged.
        own.made.set_result((values or {}, error))

    def _forget(self, flight: _Flight[K, V]) -> None:
        process = os.getpid()
        for key in flight.keys:
            if self._flights.get((process, key)) is flight:
                del self._flights[process, key]


class _AbandonedError(Exception):
    """The work was stopped from outside; who still waits begins again."""


class _Flight(Generic[K, V]):
    """The keys that one caller makes together, and how many callers wait."""

    def __init__(self, keys: Sequence[K]) -> None:
        self.keys = keys
        self.waiting = 0
        self.task: asyncio.Task[None] | None = None
        self.made: Future[tuple[dict[K, V], Exception | None]] = Future()
        # A future that runs cannot be cancelled, so a waiting task that is cancelled ends only itself.
        self.made.set_running_or_notify_cancel()

    def _is_made(self, seconds: float | None) -> bool:
        return bool(wait([self.made], seconds).done)

    def values(self) -> dict[K, V]:
        """The values, or a copy of the error: callers add their places to it."""
        wait_until(self._is_made)
        made, error = self.made.result()
        if error is None:
            return made
        raise error if isinstance(error, _AbandonedError) else _copied(error)


def _copied(error: Exception) -> Exception:
    try:
        found = copy(error)
    except Exception:  # an exception of the caller's may be anything
        return error
    if type(found) is not type(error):
        return error
    found.__cause__, found.__suppress_context__ = error.__cause__, error.__suppress_context__
    return found.with_traceback(error.__traceback__)
