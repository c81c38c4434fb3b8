"""Retrievers that can load what their first query needs."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class CanWarmUp(Protocol):
    """A retriever with a method `warm_up`."""

    def warm_up(self) -> object:
        """Load what the first query needs."""
        ...
