"""Durations as an author writes them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

DURATION: Final = r"^[1-9][0-9]{0,4} ?[mhdw]$"
HOW: Final = "Write a number up to 99999 and m, h, d or w, as in 72h or 30d."

_PATTERN: Final = re.compile(DURATION)
_UNITS: Final = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}


def duration(text: str) -> timedelta | None:
    """A number and a unit; None if it is anything else.

    >>> duration("36h")
    datetime.timedelta(days=1, seconds=43200)
    """
    return int(text[:-1]) * _UNITS[text[-1]] if _PATTERN.fullmatch(text) else None
