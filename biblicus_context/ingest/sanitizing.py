"""Headings, names and metadata of a file, shortened and cleaned: every block repeats them, and stores refuse some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from biblicus_context.base.surrogates import replaced
from biblicus_context.stores.model import Json

_LONGEST: Final = 300
"""Characters of a heading, a title, a name or a value."""
_MOST_VALUES: Final = 50
_DEEPEST: Final = 8
_LARGEST: Final = 2**53


def shown(text: str) -> str:
    """A heading, a title or a name on one line, shortened if it is too long.

    >>> shown("Set\\n up ")
    'Set up'
    """
    line = " ".join(replaced(text[: 4 * _LONGEST]).replace("\0", "\ufffd").split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def name_or_none(text: str | None) -> str | None:
    """A name that stores accept."""
    return (shown(text) or None) if text else None


def names(texts: Iterable[str]) -> tuple[str, ...]:
    """Names that stores accept, without duplicates."""
    found = dict.fromkeys(filter(None, map(shown, texts)))
    return tuple(found)[:_MOST_VALUES]


def in_utc(moment: datetime | None) -> datetime | None:
    """A time in UTC; None if it is out of range there, as on the last evening of the year 9999."""
    try:
        return None if moment is None else moment.astimezone(UTC)
    except OverflowError:
        return None


def metadata(values: Mapping[str, Json]) -> dict[str, Json]:
    """Metadata that every JSON store accepts, without values too large to repeat."""
    mapped = _mapping(values, _DEEPEST)
    return {key: value for key, value in mapped.items() if value is not None}


def _mapping(values: Mapping[str, Json], depth: int) -> dict[str, Json]:
    listed = [*values.items()][:_MOST_VALUES]
    return {shown(str(key)) or "-": _value(value, depth) for key, value in listed}


def _value(value: Json, depth: int) -> Json:
    match value:
        case str():
            return shown(value)
        case Mapping() if depth:
            return _mapping(value, depth - 1)
        case list() | tuple() if depth:
            return [_value(each, depth - 1) for each in value[:_MOST_VALUES]]
        case bool() | int() | float() if abs(value) < _LARGEST:
            return value
        case _:
            return None
