"""One question to a workspace: a file, and a read of it with the eyes of a principal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from biblicus_context.stores.principal import Principal
from biblicus_context.stores.sqlite.files.workspace import Space
from biblicus_context.stores.sqlite.files.open_workspaces import Spaces
from biblicus_context.stores.sqlite.read.reading import Reading


class Asked:
    """What every part of the reading side begins with."""

    def __init__(self, spaces: Spaces) -> None:
        self._spaces = spaces

    @contextmanager
    def _reading(self, principal: Principal, at: int | None = None) -> Iterator[Reading]:
        with self._searching(principal, at) as (_, reading):
            yield reading

    @contextmanager
    def _searching(self, principal: Principal, at: int | None) -> Iterator[tuple[Space, Reading]]:
        space = self._spaces.get(principal)
        with space.reading(principal, at) as reading:
            yield space, reading
