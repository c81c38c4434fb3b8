"""The reads of this process that are open: whoever ends what they see waits for them."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Condition, get_ident


class OpenReads:
    """The reads of this process that are open, by collection: a purge waits for them."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._open: dict[int, tuple[Hashable, int]] = {}
        self._numbers = count()

    @contextmanager
    def reading(self, key: Hashable) -> Iterator[None]:
        """One more, meanwhile."""
        number = next(self._numbers)
        with self._changed:
            self._open[number] = (key, get_ident())
        try:
            yield
        finally:
            with self._changed:
                del self._open[number]
                self._changed.notify_all()

    def wait(self, key: Hashable, seconds: float) -> bool:
        """Whether the reads of other threads end in time: this one would wait for itself."""
        me, began = get_ident(), {*self._open}
        until = time.monotonic() + seconds

        def are_over() -> bool:
            return not any(
                own == key and thread != me
                for read, (own, thread) in self._open.items()
                if read in began
            )

        with self._changed:
            return self._changed.wait_for(are_over, max(0.0, until - time.monotonic()))
