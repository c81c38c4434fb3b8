"""The file that marks a folder as a store. It is named here because ingest skips such folders."""

from __future__ import annotations

from typing import Final

MARKER: Final = "biblicus-context-store"
