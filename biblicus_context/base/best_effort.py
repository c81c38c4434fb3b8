"""Calls of caches and logs: they may help, and never stop or delay what they are made for."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

from biblicus_context.base.effects import Effect, Effectful, TookTooLongError, perform
from biblicus_context.base.forks import child_lock
from biblicus_context.base.logs import logger
from biblicus_context.base.outlines import located_outline_of
from biblicus_context.base.threads import run

T = TypeVar("T")

PATIENCE: Final = 2.0
"""Seconds that a caller waits for a cache or a log."""
PAUSE: Final = 10.0
"""After a failure no call is made for this many times what the failed one took."""
_BETWEEN_WARNINGS: Final = 60.0
"""Seconds between two warnings at least, also where each second call fails."""
_MOST_HANGING: Final = 4
"""Threads that may hang in calls; with this many no other call is made until one returns."""


class BestEffort:
    """Makes the calls of one cache or log; a call that raises, or hangs, is skipped.

    So one that is down takes a tenth of the time at most, two seconds at once by default, and is tried
    again by itself. The log of this package gets one warning until it works again: with the class of the error,
    and not with its text, which may hold an address with a password.

    >>> answers = BestEffort("answer cache", {})
    >>> answers.call(lambda: 6 * 7, otherwise=0)
    42
    >>> answers.call(lambda: 1 // 0, otherwise=0)
    0
    """

    def __init__(
        self,
        kind: str,
        target: object,
        *,
        waits: bool = True,
        room: str = "caches",
        patience: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Pass `waits=False` for what never waits, such as a dictionary: it needs no thread.

        `room` names the logger of the warnings; `patience` is how many seconds a
        caller waits, by default two.
        """
        self._name = f"the {kind} {getattr(target, '__name__', type(target).__name__)}"
        self._waits = waits
        self._room = room
        self._patience = PATIENCE if patience is None else patience
        self._clock = clock
        self._paused_until = self._warned = float("-inf")
        self._works = True
        self._hanging: list[_Call] = []
        self._lock = child_lock()

    def call(self, function: Callable[[], Any], *, otherwise: T) -> T:
        """What the function returns (may be async), or `otherwise` where it fails or is not called."""
        return run(self.calling(function, otherwise=otherwise))

    async def acall(self, function: Callable[[], Any], *, otherwise: T) -> T:
        """The same for async code; the event loop is free meanwhile."""
        from biblicus_context.base.tasks import arun  # loads asyncio, which few sync programs need

        return await arun(self.calling(function, otherwise=otherwise))

    def calling(self, function: Callable[[], Any], *, otherwise: T) -> Effectful[T]:
        """The same as a computation, for the two drivers; it catches what the drivers do not stop for."""
        if not self._may_call():
            return otherwise
        began, call = self._clock(), _Call(function)
        timeout = self._patience if self._waits else None
        # Where nothing waits, the thread of the caller makes the call.
        parallel = None if self._waits else False
        outcome = yield from perform(Effect(call, None, timeout, parallel=parallel))
        if outcome.error is None:
            self._worked()
            value: T = outcome.value
            return value
        self._failed(outcome.error, self._clock() - began, call)
        return otherwise

    def _may_call(self) -> bool:
        with self._lock:
            if self._works:
                return True
            now = self._clock()
            self._hanging = [each for each in self._hanging if not each.has_ended]
            if now < self._paused_until or len(self._hanging) >= _MOST_HANGING:
                return False
            # One call tries whether it works again; the others do not wait for that.
            self._paused_until = now + self._patience
            return True

    def _worked(self) -> None:
        if self._works:
            return
        with self._lock:
            self._works = True
        logger(self._room).info("%s works again", self._name)

    def _failed(self, error: BaseException, took: float, call: _Call) -> None:
        with self._lock:
            now = self._clock()
            self._paused_until = now + PAUSE * took
            if not call.has_ended:
                self._hanging.append(call)
            warns = self._works and now - self._warned >= _BETWEEN_WARNINGS
            self._works = False
            if warns:
                self._warned = now
        if warns:
            is_late = isinstance(error, TookTooLongError)
            why = (
                f"no answer in {self._patience:g} seconds" if is_late else located_outline_of(error)
            )
            said = "%s failed: %s. It is skipped, and tried again later"
            logger(self._room).warning(said, self._name, why)


@runtime_checkable
class BringsBestEffort(Protocol):
    """A cache that makes its calls together with others, such as all caches of one server."""

    @property
    def calls(self) -> BestEffort: ...


class _Call:
    """One call, which may go on after nobody waits for it any more."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self.has_ended = False

    def __call__(self, _: object) -> Any:
        value: Any = None
        try:
            value = self._function()
        finally:
            self.has_ended = not isinstance(value, Awaitable)
        return value if self.has_ended else self._awaited(value)

    async def _awaited(self, value: Awaitable[Any]) -> Any:
        try:
            return await value
        finally:
            self.has_ended = True
