"""What a file says of itself, within bounds: every block repeats it, and stores refuse some of it."""

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
    """A heading, a title or a name on one line, cut where it is too long.

    >>> shown("Set\\n up ")
    'Set up'
    """
    line = " ".join(replaced(text[: 4 * _LONGEST]).replace("\0", "\ufffd").split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def name_or_none(text: str | None) -> str | None:
    """A name as stores accept it."""
    return shown(text or "") or None


def names(texts: Iterable[str]) -> tuple[str, ...]:
    """Names as stores accept them, each once."""
    found = dict.fromkeys(filter(None, map(shown, texts)))
    return tuple(found)[:_MOST_VALUES]


def in_utc(moment: datetime | None) -> datetime | None:
    """A time in UTC; none where no calendar has it there, as on the last evening of the year 9999."""
    try:
        return None if moment is None else moment.astimezone(UTC)
    except OverflowError:
        return None


def metadata(values: Mapping[str, Json]) -> dict[str, Json]:
    """Metadata as every JSON store keeps it, without values too large to repeat."""
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
