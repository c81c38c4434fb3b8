"""Times as whole microseconds since 1970, which no database rounds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STEP: Final = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    """The number for a time."""
    return (moment - _START) // _STEP


def optional_microseconds(moment: datetime | None) -> int | None:
    """The number for a time, or none."""
    return None if moment is None else microseconds(moment)


def moment(microseconds: int | None) -> datetime | None:
    """The time of a number, in UTC."""
    return None if microseconds is None else _START + microseconds * _STEP
