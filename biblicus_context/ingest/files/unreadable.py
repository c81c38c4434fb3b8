"""A file that cannot be read as what it is."""

from __future__ import annotations

from biblicus_context.errors import ContextError


class UnreadableError(ContextError):
    """The file is left out, and the summary of the ingest says why."""
