"""The file that says of a folder that it is a store, whatever keeps the rest of it."""

from __future__ import annotations

from typing import Final

MARKER: Final = "biblicus-context-store"
