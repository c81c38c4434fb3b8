"""The names that an invalid file seems to declare."""

from __future__ import annotations

import re

_NAME = re.compile(r"""^name:[ \t]*["']?([^"'#\r\n]+)""", re.MULTILINE)


def claimed_names(data: str | bytes) -> list[str]:
    """Names in an invalid file, so that documents that use them are not reported too."""
    text = data if isinstance(data, str) else data.decode("utf-8", errors="replace")
    return [name.strip() for name in _NAME.findall(text)]
