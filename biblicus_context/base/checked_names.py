"""What a name may be, so that every database and every file keeps it unchanged."""

from __future__ import annotations

import re
from typing import Final

LONGEST_NAME: Final = 1000
"""Characters that an id, a path or a tag may have."""
_UNSOUND: Final = re.compile("[\x00\ud800-\udfff]")


def name_problem(value: object) -> str | None:
    """Why a value cannot be a name; None if it can.

    >>> name_problem("a.md"), name_problem("")
    (None, 'a name must be text that is not empty')
    """
    if not isinstance(value, str) or not value:
        return "a name must be text that is not empty"
    if len(value) > LONGEST_NAME:
        return f"longer than {LONGEST_NAME:,} characters"
    if _UNSOUND.search(value):
        return "a name must not contain NUL or half of a surrogate pair"
    return None
