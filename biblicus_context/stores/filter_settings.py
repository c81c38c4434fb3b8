"""Filters from settings as an author writes them, with precise errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, TypeAlias

from biblicus_context.base.durations import HOW, duration
from biblicus_context.errors import InputError
from biblicus_context.stores import checks
from biblicus_context.stores.filter_conditions import (
    Between,
    Bound,
    Condition,
    Equals,
    OneOf,
    TimeRange,
)

MOST_VALUES: Final = 1000
"""Values that one filter may list."""

_SMALLEST: Final = timedelta(microseconds=1)
_Parts: TypeAlias = Mapping[str, object]
_ISO: Final = "Write it as 2024-12-31 or 2024-12-31T23:59:00+01:00."


def parsed(settings: Mapping[str, object], place: str) -> dict[str, Any]:
    """The fields of `Filters`; each key is read by its function in `_KEYS`."""
    parts: dict[str, Any] = {"current": True}
    for key, value in _mapping(settings, place, _KEYS).items():
        parts.update(_KEYS[key](value, f"{place}.{key}"))
    return parts


def _mapping(value: object, place: str, valid: Mapping[str, object]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError("a mapping is expected", place=place, found=value, valid=valid)
    for key in value:
        if key not in valid:
            raise InputError("unknown key", place=place, found=key, valid=valid)
    return value


def _kinds(value: object, place: str) -> _Parts:
    return {"kinds": frozenset(_names(value, place))}


def _conversations(value: object, place: str) -> _Parts:
    return {"conversations": frozenset(_names(value, place))}


def _documents(value: object, place: str) -> _Parts:
    return {"documents": frozenset(_names(value, place))}


def _paths(value: object, place: str) -> _Parts:
    return {"paths": _names(value, place)}


def _tags(value: object, place: str) -> _Parts:
    if not isinstance(value, Mapping):
        return {"tags_any": frozenset(_names(value, place))}
    lists = _mapping(value, place, {"any": (), "all": ()})
    return {f"tags_{key}": frozenset(_names(each, f"{place}.{key}")) for key, each in lists.items()}


def _names(value: object, place: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple | set | frozenset):
        raise InputError("a name or a list of names is expected", place=place, found=value)
    return tuple(checks.name(each, place) for each in _few(listed, place))


def _few(values: Any, place: str) -> Any:
    if not 0 < len(values) <= MOST_VALUES:
        raise InputError(
            f"1 to {MOST_VALUES:,} values are expected", place=place, found=len(values)
        )
    return values


def _excluded(value: object, place: str) -> _Parts:
    return {"excluded": frozenset(_names(value, place))}


def _parents(value: object, place: str) -> _Parts:
    return {"parents": frozenset(_names(value, place))}


def _superseded(value: object, place: str) -> _Parts:
    if not isinstance(value, bool):
        raise InputError("true or false is expected", place=place, found=value)
    return {"current": not value}


def _times(name: str) -> Callable[[object, str], _Parts]:
    def read(value: object, place: str) -> _Parts:
        if isinstance(value, Mapping) and "within" in value:
            within = _mapping(value, place, {"within": None})["within"]
            return {name: TimeRange(within=_duration(within, f"{place}.within"))}
        ends = _mapping(value, place, dict.fromkeys(("from", "before", "to", "within")))
        given = {
            key: _moment(end, f"{place}.{key}") for key, end in ends.items() if end is not None
        }
        since, before = given.get("from"), _end(given)
        if since is not None and before is not None and since >= before:
            raise InputError(
                "this range of time is empty",
                place=place,
                found=[str(end) for end in given.values()],
                fix="`from` and `to` are inside the range, and `before` is the first time after it.",
            )
        return {name: TimeRange(since, before)}

    return read


def _end(given: Mapping[str, datetime]) -> datetime | None:
    """The first time after a range; None without an end, or where that would be after all times."""
    ends = [given["before"]] if "before" in given else []
    with suppress(OverflowError):
        ends += [given["to"] + _SMALLEST] if "to" in given else []
    return min(ends, default=None)


def _duration(value: object, place: str) -> timedelta:
    found = duration(value) if isinstance(value, str) else None
    if found is None:
        raise InputError("not a duration", place=place, found=value, fix=HOW)
    return found


def _moment(value: object, place: str) -> datetime:
    """A time; without a zone it is in UTC, and a day starts at midnight."""
    found = value
    if isinstance(found, str):
        try:
            found = datetime.fromisoformat(found)
        except ValueError:
            raise InputError("not a time", place=place, found=value, fix=_ISO) from None
    if isinstance(found, date) and not isinstance(found, datetime):
        found = datetime.combine(found, time())
    if not isinstance(found, datetime):
        raise InputError("not a time", place=place, found=value, fix=_ISO)
    return found if found.utcoffset() is not None else found.replace(tzinfo=UTC)


def _least(name: str) -> Callable[[object, str], _Parts]:
    def read(value: Any, place: str) -> _Parts:
        if not 0 <= checks.number(value, place) <= 1:
            raise InputError("a number from 0 to 1 is expected", place=place, found=value)
        return {name: float(value)}

    return read


def _metadata(name: str) -> Callable[[object, str], _Parts]:
    def read(value: object, place: str) -> _Parts:
        if not isinstance(value, Mapping):
            raise InputError("a mapping is expected", place=place, found=value)
        return {name: tuple(_condition(key, each, place) for key, each in value.items())}

    return read


def _condition(key: object, value: object, place: str) -> Condition:
    name = checks.metadata_key(key, place)
    here = f"{place}.{name}"
    if not isinstance(value, Mapping):
        return Equals(name, checks.scalar(value, here))
    if "in" in value:
        listed = _mapping(value, here, {"in": ()})["in"]
        if not isinstance(listed, list | tuple):
            raise InputError("a list of values is expected", place=f"{here}.in", found=listed)
        return OneOf(name, tuple(checks.scalar(each, f"{here}.in") for each in _few(listed, here)))
    return _between(name, _mapping(value, here, {"in": (), "from": None, "to": None}), here)


def _between(key: str, ends: Mapping[str, Any], place: str) -> Between:
    low, high = (_bound(ends.get(key), f"{place}.{key}") for key in ("from", "to"))
    if low is None and high is None:
        raise InputError("at least one end is expected", place=place, valid=("from", "to"))
    if low is not None and high is not None and isinstance(low, str) != isinstance(high, str):
        raise InputError("the two ends must have the same type", place=place, found=[low, high])
    if low is not None and high is not None and low > high:  # type: ignore[operator] # of one type
        raise InputError("the range ends before it begins", place=place, found=[low, high])
    return Between(key, low, high)


def _bound(value: object, place: str) -> Bound:
    if isinstance(value, bool):
        raise InputError("text or a number is expected", place=place, found=value)
    return checks.scalar(value, place)


_KEYS: Final[Mapping[str, Callable[[Any, str], _Parts]]] = {
    "kind": _kinds,
    "tags": _tags,
    "path": _paths,
    "created": _times("created"),
    "updated": _times("updated"),
    "accessed": _times("accessed"),
    "min_confidence": _least("min_confidence"),
    "min_importance": _least("min_importance"),
    "conversation": _conversations,
    "document": _documents,
    "exclude_documents": _excluded,
    "parent": _parents,
    "superseded": _superseded,
    "metadata": _metadata("metadata"),
    "block_metadata": _metadata("block_metadata"),
}
