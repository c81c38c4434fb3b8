"""What is raised where a conversation cannot be said in a provider's format."""

from __future__ import annotations

from biblicus_context.errors import ContextError


class FormatError(ContextError):
    """A conversation cannot be expressed in a provider's format without changing it."""
