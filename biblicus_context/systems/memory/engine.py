"""The engine: searches memories, and builds contexts of them by the plan `memory`."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import biblicus_context as bctx
from biblicus_context import Result
from biblicus_context.systems.memory import models
from biblicus_context.systems.memory.models import ContextOptions, SearchOptions
from biblicus_context.systems.memory.results import ContextPreview, ContextResult, Found, Ranker
from biblicus_context.systems.memory.storage import MemoryQuery, StorageClient, StorageError
from biblicus_context.systems.memory.store import MemoryStore

_FAILURES: Final[Mapping[type[Exception], bctx.Failure]] = {
    bctx.UnknownNameError: bctx.Failure("template_not_found"),
    bctx.InputError: bctx.Failure("validation_error"),
    bctx.BudgetError: bctx.Failure("validation_error"),
    bctx.EmbedderError: bctx.Failure("embedding_error", "the query could not be embedded"),
    StorageError: bctx.Failure("storage_error", "the storage failed"),
    bctx.StoreError: bctx.Failure("storage_error", "the storage failed"),
    OSError: bctx.Failure("storage_error", "the storage failed"),
    Exception: bctx.Failure("search_error", "the search failed"),
}


class ContextEngine:
    """Every method is for one workspace, and returns `Ok(value)` or `Err(failure)`."""

    def __init__(
        self,
        storage_client: StorageClient,
        embedding_provider: bctx.EmbeddingProvider | None = None,
        expected_embedding_dimensions: int | None = None,
        default_template: str = "chat",
        default_token_budget: int = 2000,
        cache_config: bctx.CacheConfig | None = None,
        logger: logging.Logger | None = None,
        *,
        plan: str | Path | None = None,
    ) -> None:
        corpora = {"memories": storage_client.corpus} if isinstance(storage_client, MemoryStore) else {}
        self._plan = bctx.load_project(plan or bctx.shipped_plan("memory"))
        self._assembler = bctx.ContextAssembler.from_path(plan, corpora=corpora)
        self._formats = {name: each.format for name, each in project.formats.items()}
        self._settings = project.retrievers["recall"].config
        self._rankers: dict[str, Ranker] = {}
        self._storage = storage_client
        self._vectors = bctx.QueryVectors.of()
        self._template, self._budget = default_template, default_token_budget
        self._searches = bctx.SearchLog()
        self._calls = bctx.GuardedCalls(_FAILURES, log=self._searches, logger=logger)
        self.sync = bctx.Synchronous(self)

    def register_template(self, name: str, template: models.ContextTemplate) -> None:
        """Add a template, which `template=` can name."""
        self._formats[name] = template.as_format()

    def register_ranker(self, name: str, ranker: Ranker) -> None:
        """Add a ranker, which `ranker=` can name."""
        self._rankers[name] = ranker

    def analytics(self, workspace_id: str) -> bctx.SearchAnalytics:
        """The last searches of a workspace, in figures."""
        return self._searches.analytics(workspace_id)

    async def search(
        self, query: str, workspace_id: str, options: Any = None, **more: Any
    ) -> Result[Found]:
        """The memories that match a text, best first."""
        return await self._answer(self._search, query, workspace_id, options, more)

    async def search_by_vector(
        self, vector: Sequence[float], workspace_id: str, options: Any = None, **more: Any
    ) -> Result[Found]:
        """The memories that are close to a vector, best first."""
        return await self._answer(self._search, vector, workspace_id, options, more)

    async def search_batch(
        self, queries: Sequence[str], workspace_id: str, options: Any = None, **more: Any
    ) -> list[Result[Found]]:
        """The results of several queries, which are embedded together."""
        with suppress(Exception):  # each search reports it
            if self._vectors:
                await self._vectors.of([*queries])
        return [await self.search(query, workspace_id, options, **more) for query in queries]

    async def build_context(
        self, query: str, workspace_id: str, options: Any = None, **more: Any
    ) -> Result[ContextResult]:
        """A context of the memories that match a text."""
        return await self._answer(self._build, query, workspace_id, options, more)

    async def build_context_by_vector(
        self, vector: Sequence[float], workspace_id: str, options: Any = None, **more: Any
    ) -> Result[ContextResult]:
        """A context of the memories that are close to a vector."""
        return await self._answer(self._build, vector, workspace_id, options, more)

    async def preview_context(
        self, query: str, workspace_id: str, options: Any = None, **more: Any
    ) -> Result[ContextPreview]:
        """The context that `build_context` returns, with more about it."""
        return await self._answer(self._build, query, workspace_id, options, more)

    async def _answer(self, work: Any, asked: Any, workspace_id: str, options: Any, more: Any) -> Any:
        query = asked if isinstance(asked, str) else ""
        def size(value): return len(value.memories if isinstance(value, ContextResult) else value)

        async def answer() -> Any:
            bctx.require_text(workspace_id=workspace_id)
            known = bctx.options_of(ContextOptions, options, more)
            return await work(asked, workspace_id, known)

        return await self._calls.run(answer, query=query, workspace=workspace_id, count=size)

    async def _search(self, asked: str | Sequence[float], workspace_id: str, options: ContextOptions) -> Found:
        if asked.vector is None and self._vectors:
            (vector,) = await self._vectors.of([asked.text])
            asked = replace(asked, vector=vector)
        found = await self._storage.search_memories(workspace_id, asked)
        ranked = self._ranked([*found][: options.limit], options.ranker)
        if not options.include_relationships:
            return ranked
        walk = await bctx.breadth_first(
            [each.memory.id for each in ranked],
            lambda memory: self._storage.get_memory_relationships(memory, workspace_id),
            lambda related: related.memory.id,
            options.relationship_depth,
        )
        return [each.related_to(near) for each, near in zip(ranked, walk, strict=True)]

    async def _build(self, asked: MemoryQuery, workspace_id: str, options) -> ContextPreview:
        template, budget = options.template or self._template, options.token_budget or self._budget
        if template not in self._formats:
            raise bctx.UnknownNameError("template", template, self._formats)
        form = self._formats[template]
        if options.include_metadata:
            form = form.model_copy(update={"metadata": True})
        found = await self._search(asked, workspace_id)
        done = await self._assembler.for_principal(bctx.Principal(workspace_id)).aassemble(
            "memory",
            inputs={"query": asked.text},
            budget=budget,
            formats={"recall": form},
            retrievers={"recall": lambda _: pack_of(found)},
        )
        return preview
