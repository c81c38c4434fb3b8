"""What several calls in a row open in turn is opened once, and closed after the last of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, TypeVar, cast

T = TypeVar("T")


class _OfThread(threading.local):
    """What is open in this thread, by key; None outside of `sharing`."""

    opened: dict[Hashable, object] | None = None
    closing: ExitStack | None = None
    """Closes what is open; None as long as nothing is."""


_OWN = _OfThread()


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
            _OWN.opened = {}

    def __exit__(self, *raised: Any) -> bool | None:
        if not self._is_outermost:
            return None
        _OWN.opened = None
        closing = _OWN.closing
        if closing is None:
            return None
        _OWN.closing = None
        return closing.__exit__(*raised)


@contextmanager
def shared(key: Hashable, open_: Callable[[], AbstractContextManager[T]]) -> Iterator[T]:
    """What is open under this key, else opened for everybody inside of `sharing`; outside, for this call."""
    opened = _OWN.opened
    if opened is None:
        with open_() as value:
            yield value
        return
    if key not in opened:
        if _OWN.closing is None:
            _OWN.closing = ExitStack()
        opened[key] = _OWN.closing.enter_context(open_())
    yield cast("T", opened[key])
