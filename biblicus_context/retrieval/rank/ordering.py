"""The order that a function of the caller's gives to results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError

T = TypeVar("T")


@door
def ordered_by(function: Callable[[list[T]], Iterable[T]], found: list[T]) -> list[T]:
    """The results as a function orders them; it may change them, or leave some out.

    >>> ordered_by(sorted, [2, 1])
    [1, 2]
    """
    ordered = function([*found])
    listed = [*ordered] if isinstance(ordered, Iterable) else [ordered]
    kinds = {type(each) for each in found}
    for each in listed:
        if type(each) not in kinds:
            fix = "Return them in their order, as `sorted` does; `list.sort` returns nothing."
            raise InputError("a ranker returns the results it gets", found=each, fix=fix)
    return listed
