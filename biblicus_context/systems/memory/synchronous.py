"""The methods of an engine for callers that are not async."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from biblicus_context.base import door
from biblicus_context.systems.memory.models import ContextPreview
from biblicus_context.systems.memory.outcomes import Result

if TYPE_CHECKING:
    from biblicus_context.systems.memory.engine import ContextEngine, Found, Options, Query

R = TypeVar("R")


def awaited(work: Coroutine[Any, Any, R]) -> R:
    """The result of async work, also where an event loop is running, as in a notebook.

    >>> async def double(number): return 2 * number
    >>> awaited(double(21))
    42
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


@door
class SynchronousEngine:
    """The methods of a `ContextEngine`, without `await`."""

    def __init__(self, engine: ContextEngine) -> None:
        self._engine = engine
        self.register_template = engine.register_template
        self.register_ranker = engine.register_ranker
        self.analytics = engine.analytics

    def search(
        self, query: Query, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[Found]:
        """As `ContextEngine.search`."""
        return awaited(self._engine.search(query, workspace_id, options, **more))

    def search_batch(
        self, queries: Sequence[str], workspace_id: str, options: Options = None, **more: Any
    ) -> list[Result[Found]]:
        """As `ContextEngine.search_batch`."""
        return awaited(self._engine.search_batch(queries, workspace_id, options, **more))

    def build_context(
        self, query: Query, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[ContextPreview]:
        """As `ContextEngine.build_context`."""
        return awaited(self._engine.build_context(query, workspace_id, options, **more))

    preview_context = build_context

    def search_by_vector(self, *query: Any, **more: Any) -> Result[Found]:
        """As `ContextEngine.search_by_vector`."""
        return awaited(self._engine.search_by_vector(*query, **more))

    def build_context_by_vector(self, *query: Any, **more: Any) -> Result[ContextPreview]:
        """As `ContextEngine.build_context_by_vector`."""
        return awaited(self._engine.build_context_by_vector(*query, **more))
