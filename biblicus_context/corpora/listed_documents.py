"""Documents listed page by page, without what is hidden while they are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from biblicus_context.stores import (
    NO_FILTERS,
    Document,
    Filters,
    Principal,
    Store,
    VersionGoneError,
)

_PAGE: Final = 100


class Sight:
    """Whether all that is read of a version from now on may still be shown when it is."""

    def __init__(self, store: Store, principal: Principal, version: int) -> None:
        self._store, self._principal, self._version = store, principal, version
        self._hidden = self._now()

    def has_changed(self) -> bool:
        """Whether something of the version was hidden since the last call, or it has ended."""
        before, self._hidden = self._hidden, self._now()
        return self._hidden != before or self._hidden is None

    def _now(self) -> int | None:
        try:
            with self._store.view(self._principal, at=self._version) as view:
                return view.hidden
        except VersionGoneError:  # something in it was removed
            return None


def listed_documents(
    store: Store,
    principal: Principal,
    filters: Filters = NO_FILTERS,
    *,
    after: str | None = None,
    at: int | None = None,
) -> Iterator[Document]:
    """Documents that match the filters, by id; only a few at a time are in memory.

    Who goes through them may take hours: of what is hidden meanwhile, nothing is returned any more.
    """
    last = after
    while True:
        try:
            with store.view(principal, at=at) as view:
                version = view.version
            sight = Sight(store, principal, version)
            with store.view(principal, at=version) as view:
                page = view.list_documents(filters=filters, after=last, limit=_PAGE)
            for each in page:
                if sight.has_changed():
                    break
                yield each
                last = each.id
            else:
                if len(page) < _PAGE:
                    return
        except VersionGoneError:
            if at is not None:
                raise
