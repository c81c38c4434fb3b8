"""Names of files as they can be printed."""

from __future__ import annotations

import os


def spelt(name: str) -> str:
    """A name that can be printed, with `\\xff` for a byte that is no text; all stay different."""
    return os.fsencode(name).decode("utf-8", errors="backslashreplace")
