"""What many batches removed or replaced leaves the files once, at their end."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Final

from biblicus_context.stores import Principal, StillReadError, Store

_PATIENCE: Final = 1.0
"""Seconds: a write waits no longer for a read that has not ended."""


def erase_removed(store: Store, principal: Principal) -> datetime | None:
    """Erase what batches written with `erase=False` removed; if it is kept longer, returns until when."""
    with suppress(StillReadError):
        store.purge(principal, timeout=_PATIENCE, all_versions=False)
    with store.view(principal) as view:
        return view.state.remains_until
