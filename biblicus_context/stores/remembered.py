"""Answers that are remembered outside of a workspace, and go when something of the workspace does.

Who removes a text does not know who was answered with it: another room, another object or another
process may remember that. So what is remembered has the workspace in its key, caches of this process
are listed here, and values in a store are found by name.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Final, Protocol
from weakref import WeakSet

from biblicus_context.base.doors import door
from biblicus_context.base.forks import child_lock
from biblicus_context.stores.model import Batch
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.source import Scope, Source

if TYPE_CHECKING:
    from biblicus_context.stores.store import Store

VALUES: Final = Principal("remembered values")
"""As whom values are kept in a store."""
_PAGE: Final = 100


class Remembering(Protocol):
    """A cache of this process, or one that it was given."""

    def forget_keys(self, start: str, *, firmly: bool = False) -> bool:
        """Forget what has keys that start so; False if that failed.

        One that failed just now is not asked, unless `firmly`.
        """
        ...

    @property
    def name(self) -> str:
        """What it is called in errors."""
        ...

    @property
    def outlives(self) -> bool:
        """Whether what it remembers may outlive this process."""
        ...


@door
def key_start(workspace: str) -> str:
    """How the keys of what is remembered of a workspace start: a name may have any sign."""
    return f"{blake2b(workspace.encode(errors='replace'), digest_size=16).hexdigest()}|"


class RememberedOfWorkspaces:
    """The caches that live in this process, and what they still have to forget."""

    def __init__(self) -> None:
        self._lock = child_lock()
        self._caches = WeakSet[Remembering]()
        self._due: dict[str, WeakSet[Remembering]] = {}

    def join(self, cache: Remembering) -> None:
        """Let a cache forget from now on what is removed."""
        with self._lock:
            self._caches.add(cache)

    def forget(self, workspace: str, *, firmly: bool = False) -> tuple[str, ...]:
        """Forget what is remembered of a workspace; returns the caches in which that failed."""
        start = key_start(workspace)
        with self._lock:
            caches = [*self._caches]
        failed = [each for each in caches if not each.forget_keys(start, firmly=firmly)]
        with self._lock:
            self._due.pop(workspace, None)
            if failed:
                self._due[workspace] = WeakSet(failed)
        return tuple(sorted(each.name for each in failed))

    @property
    def outlive(self) -> bool:
        """Whether what one of the caches remembers may outlive this process."""
        with self._lock:
            return any(each.outlives for each in self._caches)

    def still_in(self, workspace: str) -> tuple[str, ...]:
        """The caches that failed to forget, and may still remember something that was removed."""
        with self._lock:
            return tuple(sorted(each.name for each in self._due.get(workspace, ())))


REMEMBERED: Final = RememberedOfWorkspaces()


def has_kept(source: Source, workspace: str) -> bool:
    """Whether a source may keep values that were remembered of a workspace."""
    return workspace != VALUES.workspace and source.is_made(Scope(VALUES))


def forget_kept(store: Store, workspace: str) -> None:
    """Forget what a store keeps of answers of a workspace."""
    if gone := kept_keys(store, key_start(workspace)):
        store.write(VALUES, Batch(remove=tuple(gone)))


def kept_keys(store: Store, start: str) -> list[str]:
    """The keys of values in a store that start so."""
    with store.view(VALUES) as view:
        found = [each.id for each in view.documents([start])]
        after = start or None
        while page := view.list_documents(after=after, limit=_PAGE):
            found += [each.id for each in page if each.id.startswith(start)]
            after = page[-1].id
            if not after.startswith(start):
                break
    return found
