"""Names in source code, split into words."""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def identifier_parts(text: str) -> list[str]:
    """The parts of the names in camel case, each once, in order.

    Snake case needs no help: every search reads an underscore as a space.

    >>> identifier_parts("parseHTTPHeader(raw_text, parseBody)")
    ['parse', 'HTTP', 'Header', 'Body']
    """
    return list(
        dict.fromkeys(
            hump for word in _WORD.findall(text) if len(humps := _humps(word)) > 1 for hump in humps
        )
    )


def split_identifiers(text: str) -> str:
    """The words of a name, separated by spaces.

    >>> split_identifiers("HTTPServer.get_userName2")
    'HTTP Server get user Name 2'
    """
    return " ".join(hump for word in _WORD.findall(text) for hump in _humps(word))


def _humps(word: str) -> list[str]:
    """The parts of a name; a word with other letters has only one."""
    humps = _HUMP.findall(word)
    return humps if "".join(humps) == word else [word]
