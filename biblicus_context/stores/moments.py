"""Times as databases keep them: whole microseconds since 1970 in UTC.

A float would round them (it has 53 bits, and 2024 in microseconds takes 51), so a time read back would
not equal the time that was written; text in ISO form does not sort where zones or fractions differ.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def microseconds(moment: datetime) -> int:
    """A time as an integer."""
    return (moment - _EPOCH) // _MICROSECOND


def optional_microseconds(moment: datetime | None) -> int | None:
    """A time as an integer, or None."""
    return None if moment is None else microseconds(moment)


def moment(microseconds: int | None) -> datetime | None:
    """An integer as a time in UTC, or None."""
    return None if microseconds is None else _EPOCH + microseconds * _MICROSECOND
