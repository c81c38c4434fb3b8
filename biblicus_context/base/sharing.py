"""What several calls in a row open in turn is opened once, and closed after the last of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, Final, TypeVar, cast

T = TypeVar("T")


class Opened:
    """What is open, by key, until all of it is closed."""

    __slots__ = ("_by_key", "_closing")

    def __init__(self) -> None:
        self._by_key: dict[Hashable, object] = {}
        self._closing: ExitStack | None = None
        """Closes what is open; None as long as nothing is."""

    def __contains__(self, key: Hashable) -> bool:
        return key in self._by_key

    def __getitem__(self, key: Hashable) -> object:
        return self._by_key[key]

    def open(self, key: Hashable, open_: Callable[[], AbstractContextManager[object]]) -> None:
        if self._closing is None:
            self._closing = ExitStack()
        self._by_key[key] = self._closing.enter_context(open_())

    def close(self, *raised: Any) -> bool | None:
        return None if self._closing is None else self._closing.__exit__(*raised)


class _OfThread(threading.local):
    opened: Opened | None = None
    """What is open in this thread; None outside of `sharing`."""


_OWN: Final = _OfThread()


class sharing:  # noqa: N801 - it is used as a function, and a generator costs small calls time
    """What is `shared` inside stays open until this ends, in this thread: only around what never waits.

    >>> from contextlib import closing
    >>> from io import StringIO
    >>> with sharing():
    ...     with shared("notes", lambda: closing(StringIO())) as first:
    ...         pass
    ...     with shared("notes", lambda: closing(StringIO())) as second:
    ...         second is first, second.closed
    (True, False)
    >>> second.closed
    True
    """

    __slots__ = ("_is_outermost",)

    def __enter__(self) -> None:
        self._is_outermost = _OWN.opened is None
        if self._is_outermost:
            _OWN.opened = Opened()

    def __exit__(self, *raised: Any) -> bool | None:
        own = _OWN.opened
        if not self._is_outermost or own is None:
            return None
        _OWN.opened = None
        return own.close(*raised)


def opened() -> Opened | None:
    """What this thread has open; None outside of `sharing`."""
    return _OWN.opened


def share(opened: Opened | None) -> None:
    """From now on this thread shares what another one has open, which closes it once this one has ended."""
    _OWN.opened = opened


@contextmanager
def shared(
    key: Hashable,
    open_: Callable[[], AbstractContextManager[T]],
    opens: Callable[[Callable[[], None]], None] = lambda work: work(),
) -> Iterator[T]:
    """What is open under this key, else opened for everybody inside of `sharing`; outside, for this call.

    `opens` does that in the thread that closes it.
    """
    own = _OWN.opened
    if own is None:
        with open_() as value:
            yield value
        return
    if key not in own:
        opens(lambda: own.open(key, open_))
    yield cast("T", own[key])
