"""A stage of a pipeline: it works on one item while the next one is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Self, TypeVar

_In = TypeVar("_In")
_Out = TypeVar("_Out")


class Ahead(Generic[_In, _Out]):
    """Does one thing to items in a thread of its own, in their order, at most one item ahead."""

    def __init__(self, work: Callable[[_In], _Out], name: str) -> None:
        self._work = work
        self._thread = ThreadPoolExecutor(1, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown()

    def __call__(self, items: Iterable[_In]) -> Iterator[_Out]:
        """What becomes of the items; the first error of either side ends it."""
        pending: Future[_Out] | None = None
        for item in items:
            last, pending = pending, self._thread.submit(self._work, item)
            if last is not None:
                yield last.result()
        if pending is not None:
            yield pending.result()
