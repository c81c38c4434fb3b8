"""Errors of stores, besides invalid arguments."""

from __future__ import annotations

from biblicus_context.errors import ContextError, InputError


class StoreError(ContextError):
    """The file of a store cannot be used: foreign, damaged, too new, or busy."""


class NoStoreError(StoreError):
    """There is no store at a place yet, and none was to be made."""


class StillReadError(StoreError):
    """Bytes of what was removed are still in the files: a read that began before has not ended."""


class VersionConflictError(StoreError):
    """A write expected another version: somebody else wrote since it was read. Read again, and retry."""


class VersionGoneError(InputError):
    """A read is pinned to a version that is no longer kept, or does not exist yet."""


class AnswerLostError(StoreError):
    """A source does not know whether a write was done: its connection broke before the answer came."""


class MalformedError(Exception):
    """What a source returned contradicts itself: the source names the file or server in a StoreError."""


class ViewMovedError(StoreError):
    """What was expected of a view is not so: whoever expected it reads again."""
