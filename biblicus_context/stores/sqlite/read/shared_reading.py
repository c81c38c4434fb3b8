"""Reads of one thread that share a transaction: to begin one costs as much as a short read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING

from biblicus_context.stores.principal import Principal
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, begin_reading

if TYPE_CHECKING:
    from biblicus_context.stores.sqlite.files.workspace import Workspace


class SharedReading:
    """A transaction of one principal, and the reads that were begun in it."""

    def __init__(
        self, workspace: Workspace, principal: Principal, connection: sqlite3.Connection
    ) -> None:
        self.workspace = workspace
        self.principal = principal
        self._connection = connection
        self._newest = begin_reading(connection, principal, None)
        self._pinned: dict[int, WorkspaceReading] = {self._newest.at: self._newest}

    def at(self, version: int | None) -> WorkspaceReading | None:
        """A read of this version; None for one that was written since, which the transaction cannot see."""
        if version is None:
            return self._newest
        if version > self._newest.at:
            return None
        if version not in self._pinned:
            self._pinned[version] = begin_reading(self._connection, self.principal, version)
        return self._pinned[version]


class SharedReadings(local):
    """The shared reading of each thread: a connection is used by one thread at a time."""

    _current: SharedReading | None = None

    def of(self, principal: Principal) -> SharedReading | None:
        """The one that this principal reads in, if any."""
        current = self._current
        return current if current is not None and current.principal == principal else None

    @property
    def is_open(self) -> bool:
        """Whether this thread has one, of whatever principal."""
        return self._current is not None

    @contextmanager
    def holding(self, reading: SharedReading) -> Iterator[None]:
        """Reads of this thread find it until this ends."""
        self._current = reading
        try:
            yield
        finally:
            self._current = None
