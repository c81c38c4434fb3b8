"""Halves of surrogate pairs, which no encoder accepts."""

from __future__ import annotations

import re

_LONE = re.compile("[\ud800-\udfff]")


def replaced(text: str) -> str:
    """The text as a lenient encoder sends it, with U+FFFD in place of each half.

    >>> replaced("a\\ud800b") == "a\\ufffdb"
    True
    """
    try:
        text.encode()  # a tenth of the time that a search takes, or less
    except UnicodeEncodeError:
        return _LONE.sub("\ufffd", text)
    return text
