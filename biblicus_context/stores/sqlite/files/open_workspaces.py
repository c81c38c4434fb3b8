"""The workspaces of a store that are open in this process."""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock
from typing import Final

from biblicus_context.stores import checks
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.sqlite.files.connections import create
from biblicus_context.stores.sqlite.files.folder import Folder, existing_folder
from biblicus_context.stores.sqlite.files.workspace import Space, WrittenSpace, nothing

_MOST_OPEN: Final = 32


class Spaces:
    """Opens a workspace when it is first asked for, and closes those not asked for longest."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lock = RLock()
        self._open: OrderedDict[str, WrittenSpace] = OrderedDict()
        self._nothing = nothing(folder.path)
        self._closed = False

    def get(self, principal: Principal) -> Space:
        """The workspace of a principal; an empty one where nothing was ever written."""
        return self.found(principal) or self._nothing

    def found(self, principal: Principal) -> WrittenSpace | None:
        """The workspace of a principal, or None where nothing was ever written."""
        workspace = checks.known(principal).workspace
        with self._lock:
            return self._opened(workspace) if self._is_there(workspace) else None

    def made(self, principal: Principal) -> WrittenSpace:
        """The workspace of a principal, made where there is none."""
        workspace = checks.known(principal).workspace
        with self._lock:
            if not self._is_there(workspace):
                create(self._folder.database(workspace), workspace)
            return self._opened(workspace)

    def let_go(self) -> None:
        """Close all of them; who asks next opens them anew."""
        with self._lock:
            for space in self._open.values():
                space.close()
            self._open.clear()

    def close(self) -> None:
        """Close all of them for good."""
        with self._lock:
            self._closed = True
            self._nothing.close()
            self.let_go()

    def _is_there(self, workspace: str) -> bool:
        """Whether a workspace has a file; one that was removed since it was opened is let go."""
        self._require_open()
        space = self._open.get(workspace)
        if space is not None and not space.is_there():
            self._open.pop(workspace).close()
        is_there = self._folder.database(workspace).exists()
        if not is_there:
            existing_folder(self._folder.path)
        return is_there

    def _opened(self, workspace: str) -> WrittenSpace:
        space = self._open.get(workspace)
        if space is None:
            space = WrittenSpace(self._folder.database(workspace), workspace)
            self._open[workspace] = space
        self._open.move_to_end(workspace)
        if len(self._open) > _MOST_OPEN:
            self._open.popitem(last=False)[1].close()
        return space

    def _require_open(self) -> None:
        if self._closed:
            raise StoreError("the store is closed", place=str(self._folder.path))
