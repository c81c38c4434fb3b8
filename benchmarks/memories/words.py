"""Whether a context has a text: its words in their order, whatever is written between them."""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"\w+")


def words(text: str) -> str:
    """Words between single spaces: a system may indent lines, and escape headings.

    >>> words("# A\\n- b") in words("so: A b, c")
    True
    """
    return f" {' '.join(_WORD.findall(text))} "
