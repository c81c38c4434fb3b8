"""Values that callers pass to a store, checked once at the door."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final, TypeVar

from biblicus_context.base.checked_names import name_problem
from biblicus_context.base.surrogates import replaced
from biblicus_context.errors import InputError
from biblicus_context.stores.model import Relation
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.refusals import version_is_gone

T = TypeVar("T")

LARGEST: Final = 2**53
"""Above it, databases that keep numbers as floats round integers."""

_ENCODED: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True).encode
_WHO: Final = "Pass Principal(workspace=...): a store has no default principal."


@contextmanager
def inside(place: str) -> Iterator[None]:
    """Add a place to errors from inside; the text of the place is built only for an error."""
    try:
        yield
    except InputError as error:
        where = f"{place}.{error.place}" if error.place else place
        raise InputError(
            error.problem, place=where, found=error.found, valid=error.valid, fix=error.fix
        ) from None


def known(principal: Principal) -> Principal:
    """A valid principal; a call without one is refused."""
    if not isinstance(principal, Principal):
        raise InputError("a store needs a principal", found=principal, fix=_WHO)
    name(principal.workspace, "principal.workspace")
    if principal.user is not None:
        name(principal.user, "principal.user")
    if isinstance(principal.groups, str) or not isinstance(principal.groups, Iterable):
        raise InputError("a set of names", place="principal.groups", found=principal.groups)
    for group in principal.groups:
        name(group, "principal.groups")
    return principal


def seeing_all(principal: Principal) -> Principal:
    """A valid principal that sees every document of its workspace."""
    if not known(principal).sees_all:
        fix = "Pass Principal(workspace, sees_all=True)."
        raise InputError("this is for a principal that sees all", place="principal", fix=fix)
    return principal


def name(value: str, place: str) -> str:
    """A name that every database keeps unchanged."""
    if problem := name_problem(value):
        raise InputError(problem, place=place, found=value)
    return value


def optional_name(value: str | None, place: str) -> str | None:
    """A name, or None."""
    return None if value is None else name(value, place)


def text(value: str, place: str) -> str:
    """A text, with U+FFFD for each half of a surrogate pair."""
    if not isinstance(value, str):
        raise InputError("this must be text", place=place, found=value)
    return replaced(value)


def whole(value: int, place: str, *, least: int = 0) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
        raise InputError(f"a whole number from {least} on is expected", place=place, found=value)
    return value


def boolean(value: object, place: str) -> bool:
    """A yes or no."""
    if not isinstance(value, bool):
        raise InputError("True or False is expected", place=place, found=value)
    return value


def number(value: float, place: str) -> float:
    """A finite number."""
    if not isinstance(value, bool) and isinstance(value, int | float):
        try:
            found = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            found = math.inf
        if math.isfinite(found):
            return found
    raise InputError("a finite number is expected", place=place, found=value)


def numbers(values: Sequence[float], place: str) -> list[float]:
    """Finite numbers; the error names the first one that is not."""
    if all(type(each) is float and math.isfinite(each) for each in values):
        return [*values]  # vectors, which are long: only a mistake needs the place of each number
    return [number(each, f"{place}[{at}]") for at, each in enumerate(values)]


def positive(value: float, place: str) -> float:
    """A finite number of at least zero."""
    if number(value, place) < 0.0:
        raise InputError("must not be below zero", place=place, found=value)
    return float(value)


def optional_number(value: float | None, place: str) -> float | None:
    """A finite number, or None."""
    return None if value is None else number(value, place)


def moment(value: datetime, place: str) -> datetime:
    """A time with a time zone."""
    if not isinstance(value, datetime) or value.utcoffset() is None:
        fix = "For example datetime.now(timezone.utc)."
        raise InputError("a time must have a time zone", place=place, found=value, fix=fix)
    try:
        value.astimezone(UTC)
    except OverflowError:
        problem = "a time must be in the years 1 to 9999 in UTC"
        raise InputError(problem, place=place, found=value) from None
    return value


def optional_moment(value: datetime | None, place: str) -> datetime | None:
    """A time with a time zone, or None."""
    return None if value is None else moment(value, place)


def json_text(value: object, place: str) -> str:
    """A value as JSON, with U+FFFD for each half of a surrogate pair."""
    try:
        return replaced(_ENCODED(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be written as JSON: {error}", place=place) from None


def sequence(values: Iterable[str], place: str) -> tuple[str, ...]:
    """Several texts; a single text is refused, or its letters would count as texts."""
    return tuple(several(values, "texts", place))


def several(values: Iterable[T], noun: str, place: str) -> Iterable[T]:
    """What can be gone through, and is no text."""
    if isinstance(values, tuple | list):  # an abstract class is asked in Python
        return values
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        problem = f"a sequence of {noun} is expected"
        raise InputError(problem, place=place, found=values, fix="Use a list.")
    return values


def relations(values: Iterable[Relation], place: str) -> tuple[Relation, ...]:
    """Arrows between documents."""
    found = tuple(several(values, "relations", place))
    for at, each in enumerate(found):
        if not isinstance(each, Relation):
            fix = "Use Relation(source, target, type)."
            raise InputError("a Relation is expected", place=f"{place}[{at}]", found=each, fix=fix)
    return found


def ids(values: Iterable[str], place: str) -> tuple[str, ...]:
    """Ids to look up, each once; ids that no store can keep are left out, like unknown ones."""
    found = sequence(values, place)
    return tuple(dict.fromkeys([each for each in found if name_problem(each) is None]))


def version(at: int, oldest: int, newest: int) -> int:
    """A version that is still kept."""
    if isinstance(at, bool) or not isinstance(at, int):
        raise InputError(
            "a version is a number that state() or write() returned", place="at", found=at
        )
    if not oldest <= at <= newest:
        raise version_is_gone(at, oldest, newest)
    return at


def mapping(value: object, place: str) -> None:
    """Refuse what is not a mapping."""
    if not isinstance(value, Mapping):
        raise InputError("a mapping is expected", place=place, found=value)
