"""Text for XML documents."""

from __future__ import annotations

import re

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text with U+FFFD for each character that XML does not allow.

    >>> xml_text("a\\x00b") == "a\\ufffdb"
    True
    """
    return _NOT_XML.sub("\ufffd", text)
