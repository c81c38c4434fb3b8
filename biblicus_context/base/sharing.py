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
    is_guest: bool = False
    """Whether another thread opens and closes it."""


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


def opened() -> dict[Hashable, object] | None:
    """What this thread has open; None outside of `sharing`."""
    return _OWN.opened


def share(opened: dict[Hashable, object] | None) -> None:
    """From now on this thread shares what another one has open, which opens and closes it."""
    _OWN.opened, _OWN.is_guest = opened, True


@contextmanager
def shared(
    key: Hashable,
    open_: Callable[[], AbstractContextManager[T]],
    opens: Callable[[Callable[[], None]], None] = lambda work: work(),
) -> Iterator[T]:
    """What is open under this key, else opened for everybody inside of `sharing`; outside, for this call.

    `opens` does that in the thread that closes it.
    """
    opened = _OWN.opened
    if opened is None:
        with open_() as value:
            yield value
        return
    if key not in opened:
        opens(lambda: _open(key, open_))
    yield cast("T", opened[key])


def _open(key: Hashable, open_: Callable[[], AbstractContextManager[object]]) -> None:
    opened = _OWN.opened
    assert opened is not None
    assert not _OWN.is_guest  # nobody would close it
    if key not in opened:  # another call may have asked for it meanwhile
        if _OWN.closing is None:
            _OWN.closing = ExitStack()
        opened[key] = _OWN.closing.enter_context(open_())
