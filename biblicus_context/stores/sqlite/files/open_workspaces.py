"""The workspaces of a store that are open in this process."""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock
from typing import Final

from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.source import Scope
from biblicus_context.stores.sqlite.files.connections import create
from biblicus_context.stores.sqlite.files.folder import (
    Folder,
    existing_folder,
    require_nothing_left,
)
from biblicus_context.stores.sqlite.files.seal import break_seal
from biblicus_context.stores.sqlite.files.workspace import (
    FileWorkspace,
    Workspace,
    empty_workspace,
)

_MOST_OPEN: Final = 32


class OpenWorkspaces:
    """Opens a workspace when it is first used, and closes the least recently used ones."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lock = RLock()
        self._open: OrderedDict[str, FileWorkspace] = OrderedDict()
        self._empty = empty_workspace(folder.path)
        self._closed = False

    def get(self, scope: Scope) -> Workspace:
        """The workspace of a principal; an empty one if nothing was ever written."""
        return self.find(scope) or self._empty

    def find(self, scope: Scope) -> FileWorkspace | None:
        """The workspace of a principal, or None if nothing was ever written."""
        workspace = scope.name
        with self._lock:
            if self._is_there(workspace):
                return self._opened(workspace)
        require_nothing_left(self._folder.database(workspace))
        return None

    def get_or_create(self, scope: Scope) -> FileWorkspace:
        """The workspace of a principal, created if there is none."""
        workspace = scope.name
        with self._lock:
            if not self._is_there(workspace):
                path = self._folder.database(workspace)
                break_seal(path)  # of a database that was moved away
                create(path, workspace)
            return self._opened(workspace)

    def close_all(self) -> None:
        """Close all of them; the next call opens them again."""
        with self._lock:
            for workspace in self._open.values():
                workspace.close()
            self._open.clear()

    def close(self) -> None:
        """Close all of them for good."""
        with self._lock:
            self._closed = True
            self._empty.close()
            self.close_all()

    def _is_there(self, workspace: str) -> bool:
        """Whether a workspace has a file; one that was removed or replaced since is closed."""
        if self._closed:
            raise StoreError("the store is closed", place=str(self._folder.path))
        known = self._open.get(workspace)
        if known is not None:
            if known.is_there():
                return True
            self._open.pop(workspace).close()
        is_there = self._folder.database(workspace).exists()
        if not is_there:
            existing_folder(self._folder.path)  # a store that was removed is an error, not empty
        return is_there

    def _opened(self, workspace: str) -> FileWorkspace:
        known = self._open.get(workspace)
        if known is None:
            known = FileWorkspace(self._folder.database(workspace), workspace)
            self._open[workspace] = known
        self._open.move_to_end(workspace)
        if len(self._open) > _MOST_OPEN:
            self._open.popitem(last=False)[1].close()
        return known
