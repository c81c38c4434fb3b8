"""Changes that depend on what was read: made again where somebody else wrote meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import uniform
from typing import Final, TypeVar

from biblicus_context.base.doors import door
from biblicus_context.stores.errors import VersionConflictError

T = TypeVar("T")
_PATIENCE: Final = 60.0
"""Seconds; each conflict is a write of somebody else that succeeded."""
_LONGEST_WAIT: Final = 0.05


@door
def retried(change: Callable[[], T]) -> T:
    """Read and write until nobody wrote in between, in this process or another one."""
    until, wait = time.monotonic() + _PATIENCE, 0.001
    while True:
        try:
            return change()
        except VersionConflictError:
            if time.monotonic() > until:
                raise
        # Of different length, or two programs would meet again and again.
        time.sleep(uniform(0, wait))  # noqa: S311 - no secret
        wait = min(2 * wait, _LONGEST_WAIT)
