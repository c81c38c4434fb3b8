"""The engine: searches memories, and builds contexts of them by the plan `memory`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from biblicus_context import (
    CacheConfig,
    ContextAssembler,
    EmbedderProvider,
    EmbeddingProvider,
    InputError,
    Principal,
    QueryVectors,
    Record,
    SearchAnalytics,
    SearchLog,
    load_project,
    pack_of_records,
    rerank,
    shipped_plan,
)
from biblicus_context.systems.answering import Answers, CallError, options_of, require_text, stage
from biblicus_context.systems.expansion import expanded
from biblicus_context.systems.memory.models import (
    ContextOptions,
    ContextPreview,
    ContextResult,
    ContextTemplate,
    Memory,
    SearchResult,
)
from biblicus_context.systems.memory.storage import MemoryQuery, StorageClient
from biblicus_context.systems.memory.store import MemoryStore
from biblicus_context.systems.results import Result
from biblicus_context.systems.synchronous import Synchronous

Options: TypeAlias = ContextOptions | Mapping[str, Any] | None
Found: TypeAlias = list[SearchResult]
RECALL: Final = "recall"
"""The retriever of the plan whose blocks are the memories that were found."""
_RANKERS: Final = ("default", "similarity", "recency", "confidence")


class ContextEngine:
    """Every method is for one workspace, and returns `Ok(value)` or `Err(failure)`."""

    def __init__(
        self,
        storage_client: StorageClient,
        embedding_provider: EmbeddingProvider | None = None,
        expected_embedding_dimensions: int | None = None,
        default_template: str = "chat",
        default_token_budget: int = 2000,
        cache_config: CacheConfig | None = None,
        logger: logging.Logger | None = None,
        *,
        plan: str | Path | None = None,
    ) -> None:
        own = storage_client.corpus if isinstance(storage_client, MemoryStore) else None
        if embedding_provider is None and own is not None and own.embedder is not None:
            embedding_provider = EmbedderProvider(own.embedder)
        known = embedding_provider and embedding_provider.dimensions
        if expected_embedding_dimensions not in (None, known):
            problem = f"an embedder of {expected_embedding_dimensions} dimensions is expected"
            raise InputError(problem, place="embedding_provider", found=known)
        self._vectors = (
            QueryVectors(embedding_provider, cache_config) if embedding_provider else None
        )
        self._storage, self._searches = storage_client, SearchLog()
        self._template, self._budget = default_template, default_token_budget
        self._answers: Answers[Any] = Answers(logger or logging.getLogger(__name__), self._searches)
        plan = plan or shipped_plan("memory")
        project, corpora = load_project(plan), {"memories": own} if own else {}
        self._assembler = ContextAssembler.from_path(plan, corpora=corpora)
        self._templates: dict[str, Any] = {**project.formats}
        own_settings = {"query", "limit"}
        config = project.retrievers[RECALL].config
        self._settings = {name: config[name] for name in config if name not in own_settings}
        self._rankers: dict[str, Callable[[Found], Sequence[SearchResult]]] = {}
        self.sync = Synchronous(self)

    def register_template(self, name: str, template: ContextTemplate) -> None:
        """Add a template, which `template=` can name."""
        self._templates[name] = template

    def register_ranker(self, name: str, ranker: Callable[[Found], Sequence[SearchResult]]) -> None:
        """Add a ranker, which `ranker=` can name."""
        self._rankers[name] = ranker

    def analytics(self, workspace_id: str) -> SearchAnalytics:
        """The last searches of a workspace, in figures."""
        return self._searches.analytics(workspace_id)

    async def search(
        self, query: str, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[Found]:
        """The memories that match a text, best first."""
        return await self._answer(self._search, query, None, workspace_id, options, more)

    async def search_by_vector(
        self, vector: Sequence[float], workspace_id: str, options: Options = None, **more: Any
    ) -> Result[Found]:
        """The memories that are close to a vector, best first."""
        return await self._answer(self._search, "", vector, workspace_id, options, more)

    async def search_batch(
        self, queries: Sequence[str], workspace_id: str, options: Options = None, **more: Any
    ) -> list[Result[Found]]:
        """The results of several queries, which are embedded together."""
        with suppress(Exception):  # each search reports it
            if self._vectors is not None:
                await self._vectors.of([*queries])
        return [await self.search(query, workspace_id, options, **more) for query in queries]

    async def build_context(
        self, query: str, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[ContextResult]:
        """A context of the memories that match a text."""
        return await self._answer(self._build, query, None, workspace_id, options, more)

    async def build_context_by_vector(
        self, vector: Sequence[float], workspace_id: str, options: Options = None, **more: Any
    ) -> Result[ContextResult]:
        """A context of the memories that are close to a vector."""
        return await self._answer(self._build, "", vector, workspace_id, options, more)

    async def preview_context(
        self, query: str, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[ContextPreview]:
        """The context that `build_context` returns, with more about it."""
        return await self._answer(self._build, query, None, workspace_id, options, more)

    async def _answer(
        self,
        work: Callable[[MemoryQuery, str], Any],
        query: str,
        vector: Any,
        workspace_id: str,
        options: Options,
        more: Mapping[str, Any],
    ) -> Result[Any]:
        async def answer() -> tuple[Any, int]:
            require_text(workspace_id=workspace_id, **({"query": query} if vector is None else {}))
            known = options_of(ContextOptions, options, more)
            value = await work(MemoryQuery(query, vector, known, self._settings), workspace_id)
            return value, len(value.memories if isinstance(value, ContextResult) else value)

        return await self._answers.to(query, workspace_id, answer)

    async def _search(self, asked: MemoryQuery, workspace_id: str) -> Found:
        options = asked.options
        if asked.vector is None and self._vectors is not None:
            vectors = await stage("embedding_error", self._vectors.of([asked.text]))
            asked = replace(asked, vector=vectors[0])
        search = self._storage.search_memories(workspace_id, asked)
        found = self._ranked(
            [*await stage("search_error", search)][: options.limit], options.ranker
        )
        if not options.include_relationships:
            return found
        walk = expanded(
            [each.memory.id for each in found],
            lambda memory: self._storage.get_memory_relationships(memory, workspace_id),
            lambda related: related.memory.id,
            options.relationship_depth,
        )
        near = zip(found, await stage("storage_error", walk), strict=True)
        return [
            replace(each, relationships=tuple(replace(one, depth=depth) for one, depth in more))
            for each, more in near
        ]

    def _ranked(
        self, found: Found, ranker: str | Callable[[Found], Sequence[SearchResult]]
    ) -> Found:
        if callable(ranker) or ranker in self._rankers:
            return [*(ranker if callable(ranker) else self._rankers[ranker])(found)]
        if ranker not in _RANKERS:
            raise CallError(
                "validation_error", f"no ranker {ranker!r}", [*_RANKERS, *self._rankers]
            )
        if ranker == "default" and all(each.rank is not None for each in found):
            return found  # the storage ranks as the plan says
        rank = self._settings.get("rank", "similarity") if ranker == "default" else {ranker: 1}
        known = {each.memory.id: each for each in found}
        pack = pack_of_records((each.memory.as_record(), each.score) for each in found)
        ranked = rerank(pack.blocks, rank)
        return [replace(known[each.evidence_item_id], rank=each.score) for each in ranked]

    async def _build(self, asked: MemoryQuery, workspace_id: str) -> ContextPreview:
        options = asked.options
        template, budget = options.template or self._template, options.token_budget or self._budget
        if template not in self._templates:
            known = sorted(self._templates)
            raise CallError("template_not_found", f"no template {template!r}", known)
        found = await self._search(asked, workspace_id)
        near = [more.memory for each in found for more in each.relationships]
        pack = pack_of_records(
            [
                *((_quoted(each.memory, each.excerpt), each.rank) for each in found),
                *((_quoted(each), None) for each in near),
            ]
        )
        assembling = self._assembler.for_principal(Principal(workspace_id)).aassemble(
            "memory",
            inputs={"query": asked.text},
            budget=budget,
            formats={RECALL: self._format(template, with_metadata=options.include_metadata)},
            retrievers={RECALL: lambda _: pack},
        )
        done = await stage("search_error", assembling)
        ids = tuple(each.evidence for each in done.citations if each.pack == RECALL)
        offered = [each for part in done.receipt.parts for each in part.blocks]
        return ContextPreview(
            context=done.system_prompt,
            token_count=done.token_count,
            memories=tuple(each for each in found if each.memory.id in ids),
            truncated=any(each.action != "kept" and each.cause != "duplicate" for each in offered),
            template=template,
            memory_ids=ids,
            ranking_scores={each.memory.id: each.rank or 0.0 for each in found},
            budget_used=100 * done.token_count / budget,
        )

    def _format(self, template: str, *, with_metadata: bool) -> dict[str, Any]:
        known = self._templates[template]
        form = (
            known.as_format()
            if isinstance(known, ContextTemplate)
            else known.format.model_dump(exclude_unset=True)
        )
        return {**form, "metadata": True} if with_metadata else form


def _quoted(memory: Memory, excerpt: str | None = None) -> Record:
    """The memory with its later lines indented, so that none of them looks like one of the template."""
    text = memory.content if excerpt is None else excerpt
    return memory.as_record(text="\n  ".join(text.splitlines()))
