"""The methods of an engine for callers that are not async."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from biblicus_context.base import awaited, door
from biblicus_context.systems.memory.models import ContextPreview
from biblicus_context.systems.memory.outcomes import Result

if TYPE_CHECKING:
    from biblicus_context.corpora import Forgotten, ModelPage, Removed
    from biblicus_context.stores import Relation
    from biblicus_context.systems.memory.conversations import Extractor, Remembered
    from biblicus_context.systems.memory.engine import ContextEngine, Found, Options, Query
    from biblicus_context.systems.memory.models import Memory
    from biblicus_context.systems.memory.store import MemoryStore


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

    def forget_workspace(self, workspace_id: str) -> Forgotten:
        """As `ContextEngine.forget_workspace`."""
        return awaited(self._engine.forget_workspace(workspace_id))

    def search_by_vector(self, *query: Any, **more: Any) -> Result[Found]:
        """As `ContextEngine.search_by_vector`."""
        return awaited(self._engine.search_by_vector(*query, **more))

    def build_context_by_vector(self, *query: Any, **more: Any) -> Result[ContextPreview]:
        """As `ContextEngine.build_context_by_vector`."""
        return awaited(self._engine.build_context_by_vector(*query, **more))


class SynchronousStore:
    """The methods of a `MemoryStore` that write, without `await`: for scripts, Flask and Streamlit."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def remember(
        self, memory: Memory, workspace_id: str, *, replaces: str | Sequence[str] = ()
    ) -> list[Memory]:
        """As `MemoryStore.remember`."""
        return awaited(self._store.remember(memory, workspace_id, replaces=replaces))

    def remember_conversation(
        self,
        messages: Sequence[Any],
        workspace_id: str,
        *,
        conversation_id: str,
        extract: Extractor | None = None,
        user_id: str | None = None,
    ) -> Remembered:
        """As `MemoryStore.remember_conversation`."""
        return awaited(
            self._store.remember_conversation(
                messages,
                workspace_id,
                conversation_id=conversation_id,
                extract=extract,
                user_id=user_id,
            )
        )

    def conflicts(self, memory: Memory, workspace_id: str) -> list[Memory]:
        """As `MemoryStore.conflicts`."""
        return awaited(self._store.conflicts(memory, workspace_id))

    def history(self, memory_id: str, workspace_id: str) -> list[Memory]:
        """As `MemoryStore.history`."""
        return awaited(self._store.history(memory_id, workspace_id))

    def page(
        self,
        workspace_id: str,
        filters: Mapping[str, Any] | None = None,
        *,
        after: str | None = None,
        limit: int = 100,
    ) -> ModelPage[Memory]:
        """As `MemoryStore.page`."""
        return awaited(self._store.page(workspace_id, filters, after=after, limit=limit))

    def remember_many(self, memories: Iterable[Memory], workspace_id: str) -> None:
        """As `MemoryStore.remember_many`."""
        awaited(self._store.remember_many(memories, workspace_id))

    def get(self, ids: str | Sequence[str], workspace_id: str) -> list[Memory]:
        """As `MemoryStore.get`."""
        return awaited(self._store.get(ids, workspace_id))

    def update(self, model_id: str, workspace_id: str, **changes: Any) -> bool:
        """As `MemoryStore.update`."""
        return awaited(self._store.update(model_id, workspace_id, **changes))

    def forget(self, ids: str | Sequence[str], workspace_id: str) -> Removed:
        """As `MemoryStore.forget`."""
        return awaited(self._store.forget(ids, workspace_id))

    def forget_user(self, user_id: str, workspace_id: str) -> Forgotten:
        """As `MemoryStore.forget_user`."""
        return awaited(self._store.forget_user(user_id, workspace_id))

    def forget_workspace(self, workspace_id: str) -> Forgotten:
        """As `MemoryStore.forget_workspace`."""
        return awaited(self._store.forget_workspace(workspace_id))

    def relate(self, relation: Relation, workspace_id: str) -> None:
        """As `MemoryStore.relate`."""
        awaited(self._store.relate(relation, workspace_id))
