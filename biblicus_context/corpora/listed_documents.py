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
            return self._store.hidden_since(self._principal, self._version)
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
        version = store.state(principal).version if at is None else at
        try:
            sight = Sight(store, principal, version)
            page = store.list_documents(
                principal, filters=filters, after=last, limit=_PAGE, at=version
            )
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
