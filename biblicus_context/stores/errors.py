"""What can go wrong with a store, beside what a caller hands in."""

from __future__ import annotations

from biblicus_context.errors import ContextError, InputError


class StoreError(ContextError):
    """A store's file cannot be used: foreign, damaged, newer than this package, or busy."""


class VersionGoneError(InputError):
    """A version is asked for that is not kept any more, or not there yet."""
