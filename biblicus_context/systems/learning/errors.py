"""What a caller can do wrong; sources that fail are no errors."""

from __future__ import annotations

from biblicus_context import ContextError


class ContextAssemblyError(ContextError):
    """The base of the errors of this system."""


class InvalidContextTypeError(ContextAssemblyError):
    """A context type that does not exist; the message lists the valid ones."""
