"""What callers pass, checked where it comes in."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, TypeVar

from biblicus_context.errors import InputError

T = TypeVar("T")
C = TypeVar("C", bound=Collection[str])
LONGEST_NAME: Final = 400
"""Characters of a name that a caller chooses; the ids that a store makes of several are longer."""


def text(value: object, place: str) -> str:
    """A text that is not empty."""
    if isinstance(value, str) and value.strip():
        return value
    raise InputError("a text that is not empty is expected", place=place, found=value)


def name(value: object, place: str) -> str:
    """A text that is not empty, and short enough for what is made of it."""
    if len(known := text(value, place)) > LONGEST_NAME:
        problem = f"longer than {LONGEST_NAME} characters"
        raise InputError(problem, place=place, found=known)
    return known


def texts(values: C, place: str) -> C:
    """Several texts; one text alone would be taken for its letters."""
    is_list = isinstance(values, Collection) and not isinstance(values, str | bytes)
    if not is_list or not all(isinstance(each, str) for each in values):
        raise InputError("a list of texts is expected", place=place, found=values)
    return values


def all_of(values: Sequence[T], kind: type[T], place: str) -> Sequence[T]:
    """Objects of one type, each an argument of its own."""
    for each in values:
        if not isinstance(each, kind):
            found, fix = type(each).__name__, "Pass several as f(*several)."
            raise InputError(f"a {kind.__name__} is expected", place=place, found=found, fix=fix)
    return values


def yes_or_no(value: object, place: str) -> bool:
    """True or False: any other value, such as the text "no", would count as one of them."""
    if isinstance(value, bool):
        return value
    raise InputError("True or False is expected", place=place, found=value)
