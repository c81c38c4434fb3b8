"""Moments as files and other programs write them."""

from __future__ import annotations

from datetime import UTC, date, datetime


def moment(value: object) -> datetime | None:
    """A time with a zone, UTC if it names none; None for what is not a time.

    >>> moment("2026-05-08").isoformat()
    '2026-05-08T00:00:00+00:00'
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return None
