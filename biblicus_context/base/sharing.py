"""What several calls in a row open in turn is opened once, and closed after the last of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TypeVar, cast

T = TypeVar("T")


class _OfThread(threading.local):
    """What is open in this thread, by key; None outside of `sharing`."""

    opened: dict[Hashable, object] | None = None
    closing: ExitStack


_OWN = _OfThread()


@contextmanager
def sharing() -> Iterator[None]:
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
    if _OWN.opened is not None:
        yield
        return
    with ExitStack() as _OWN.closing:
        _OWN.opened = {}
        try:
            yield
        finally:
            _OWN.opened = None


@contextmanager
def shared(key: Hashable, open_: Callable[[], AbstractContextManager[T]]) -> Iterator[T]:
    """What is open under this key, else opened for everybody inside of `sharing`; outside, for this call."""
    opened = _OWN.opened
    if opened is None:
        with open_() as value:
            yield value
        return
    if key not in opened:
        opened[key] = _OWN.closing.enter_context(open_())
    yield cast("T", opened[key])
