"""An attribute that is computed when it is first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801 - used like `property`
    """Like functools.cached_property, which takes a lock for all objects of a class before Python 3.12:
    a child that is forked meanwhile would wait for it for ever.

    Threads that read it at once may compute it twice.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...

    @overload
    def __get__(self, owner: object, kind: type) -> T: ...

    def __get__(self, owner: object | None, kind: type) -> T | Self:
        if owner is None:
            return self
        value: T = self._compute(owner)
        vars(owner)[self._name] = value
        return value
