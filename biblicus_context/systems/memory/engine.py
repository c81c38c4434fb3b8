"""The engine: searches memories, and builds contexts of them by the plan `memory`."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from biblicus_context import (
    AnswerCache,
    ContextAssembler,
    ContextPack,
    ContextPackBlock,
    EmbedderProvider,
    EmbeddingProvider,
    InputError,
    MemoryAnswerCache,
    Principal,
    QueryVectors,
    SearchAnalytics,
    Searched,
    SearchLog,
    StoreError,
    load_project,
    shipped_plan,
)
from biblicus_context.systems.memory.models import (
    ContextOptions,
    ContextPreview,
    ContextResult,
    ContextTemplate,
    RankingFunction,
    RelatedMemory,
    SearchResult,
)
from biblicus_context.systems.memory.ranking import PARTS, ranked_by, weighted
from biblicus_context.systems.memory.storage import MemoryQuery, StorageClient, StorageError
from biblicus_context.systems.memory.store import MemoryStore
from biblicus_context.systems.results import Err, Failure, FailureType, Ok, Result
from biblicus_context.systems.synchronous import Synchronous

V = TypeVar("V")
Vector: TypeAlias = Sequence[float]
Options: TypeAlias = SearchOptions | Mapping[str, Any] | None
RECALL: Final = "recall"
"""The retriever of the plan whose blocks are the memories that were found."""
_MOST_RELATED: Final = 100
_SAID: Final[Mapping[FailureType, str]] = {
    "embedding_error": "the query could not be embedded",
    "search_error": "the memories could not be searched",
    "storage_error": "the storage of the memories failed",
}


@dataclass(frozen=True, slots=True)
class CacheConfig:
    """How many vectors of queries are remembered, how many seconds, and where."""

    max_size: int = 1000
    ttl: float = 3600
    cache: AnswerCache | None = None


class _Failed(Exception):
    def __init__(self, type_: FailureType, message: str, available: Iterable[str] = ()) -> None:
        self.failure = Failure(type_, message, tuple(available))


class ContextEngine:
    """Every method is for one workspace, and returns `Ok(value)` or `Err(failure)`."""

    def __init__(  # noqa: PLR0913 - the arguments of the design, and a plan
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
        dimensions = embedding_provider and embedding_provider.dimensions
        if expected_embedding_dimensions not in (None, dimensions):
            problem = f"an embedder of {expected_embedding_dimensions} dimensions is expected"
            raise InputError(problem, place="embedding_provider", found=dimensions)
        cache = cache_config or CacheConfig()
        memory = cache.cache or MemoryAnswerCache(cache.max_size)
        self._vectors = embedding_provider and QueryVectors(embedding_provider, memory, cache.ttl)
        self._storage, self._template = storage_client, default_template
        self._budget, self._log = default_token_budget, logger or logging.getLogger(__name__)
        self._searches = SearchLog()
        self._corpora = {} if own is None else {"memories": own}
        self._project = load_project(plan or shipped_plan("memory"))
        self._templates: dict[str, ContextTemplate] = {}
        self._settings = {**self._project.retrievers[RECALL].config}
        weights = self._settings.get("rank")
        self._rankers: dict[str, RankingFunction] = {
            name: ranked_by(part) for name, part in PARTS.items()
        }
        self._unranked = weighted(weights if isinstance(weights, Mapping) else {"similarity": 1})
        for name in ("query", "limit"):
            self._settings.pop(name, None)
        self._assembler = self._new_assembler()
        self.sync = Synchronous(self)

    def register_template(self, name: str, template: ContextTemplate) -> None:
        """Add a template, which `template=` can name."""
        self._templates[name] = template
        self._assembler = self._new_assembler()

    def register_ranker(self, name: str, ranker: RankingFunction) -> None:
        """Add a ranker, which `ranker=` can name."""
        self._rankers[name] = ranker

    def analytics(self, workspace_id: str) -> SearchAnalytics:
        """The last searches of a workspace, in figures."""
        return self._searches.analytics(workspace_id)

    async def search(
        self, query: str, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[list[SearchResult]]:
        """The memories that match a text, best first."""
        return await self._answered(query, None, workspace_id, options, more, self._found)

    async def search_by_vector(
        self, vector: Vector, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[list[SearchResult]]:
        """The memories that are close to a vector, best first."""
        return await self._answered("", vector, workspace_id, options, more, self._found)

    async def search_batch(
        self, queries: Sequence[str], workspace_id: str, options: Options = None, **more: Any
    ) -> list[Result[list[SearchResult]]]:
        """The results of several queries, which are embedded together."""
        if self._vectors is not None:
            with suppress(Exception):  # each search reports it
                await self._vectors.of([*queries])
        return [await self.search(query, workspace_id, options, **more) for query in queries]

    async def build_context(
        self, query: str, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[ContextResult]:
        """A context of the memories that match a text."""
        return await self._answered(query, None, workspace_id, options, more, self._built)

    async def build_context_by_vector(
        self, vector: Vector, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[ContextResult]:
        """A context of the memories that are close to a vector."""
        return await self._answered("", vector, workspace_id, options, more, self._built)

    async def preview_context(
        self, query: str, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[ContextPreview]:
        """The context that `build_context` returns, with more about it."""
        return await self._answered(query, None, workspace_id, options, more, self._built)

    async def _answered(
        self,
        query: str,
        vector: Vector | None,
        workspace_id: str,
        options: Options,
        more: Mapping[str, Any],
        work: Callable[[MemoryQuery, str], Awaitable[Any]],
    ) -> Result[Any]:
        began, results = time.perf_counter(), None
        try:
            asked = MemoryQuery(query, vector, _options(options, more), self._settings)
            _require(workspace_id, asked)
            value = await work(asked, workspace_id)
            results = len(value.memories if isinstance(value, ContextResult) else value)
            return Ok(value)
        except _Failed as failed:
            failure, cause = failed.failure, failed.__cause__
            told = {"query": query, "workspace": workspace_id}
            self._log.error(
                "%s for query %r", failure.type, query, exc_info=cause, extra={"search": told}
            )
            return Err(failure)
        finally:
            searched = Searched(str(query), time.perf_counter() - began, results)
            self._searches.add(str(workspace_id), searched)

    async def _found(self, asked: MemoryQuery, workspace_id: str) -> list[SearchResult]:
        ranker = asked.options.ranker
        if isinstance(ranker, str) and ranker not in {*self._rankers, "default"}:
            raise _Failed("validation_error", f"unknown ranker {ranker!r}", sorted(self._rankers))
        if asked.vector is None and self._vectors is not None:
            vectors = await _stage("embedding_error", self._vectors.of([asked.text]))
            asked = replace(asked, vector=vectors[0])
        search = self._storage.search_memories(workspace_id, asked)
        found = [*await _stage("search_error", search)][: asked.options.limit]
        if ranker != "default":
            found = [*(self._rankers[ranker] if isinstance(ranker, str) else ranker)(found)]
        elif any(each.rank is None for each in found):
            found = [*self._unranked(found)]
        if asked.options.include_relationships:
            depth = asked.options.relationship_depth
            found = await _stage("storage_error", self._expanded(found, workspace_id, depth))
        return found

    async def _expanded(
        self, found: Sequence[SearchResult], workspace_id: str, depth: int
    ) -> list[SearchResult]:
        """The results with what relations lead to; each memory once, at its nearest result."""
        seen = {each.memory.id for each in found}
        related: list[list[RelatedMemory]] = [[] for _ in found]
        ends = [(number, each.memory.id) for number, each in enumerate(found)]
        for step in range(1, depth + 1):
            ask = self._storage.get_memory_relationships
            answers = await asyncio.gather(*(ask(end, workspace_id) for _, end in ends))
            reached = []
            for (number, _), answer in zip(ends, answers, strict=True):
                for each in answer:
                    if each.memory.id not in seen and len(seen) < len(found) + _MOST_RELATED:
                        seen.add(each.memory.id)
                        related[number].append(replace(each, depth=step))
                        reached.append((number, each.memory.id))
            ends = reached
        pairs = zip(found, related, strict=True)
        return [replace(each, relationships=tuple(more)) for each, more in pairs]

    async def _built(self, asked: MemoryQuery, workspace_id: str) -> ContextPreview:
        options = asked.options
        template = options.template or self._template
        if template not in self._assembler.contexts:
            problem = f"no template {template!r}"
            raise _Failed("template_not_found", problem, sorted(self._assembler.contexts))
        found = await self._found(asked, workspace_id)
        budget, pack = options.token_budget or self._budget, _pack(found, options.include_metadata)
        done = await _stage(
            "search_error",
            self._assembler.for_principal(Principal(workspace_id)).aassemble(
                template,
                inputs={"query": asked.text},
                budget=budget,
                retrievers={RECALL: lambda _: pack},
            ),
        )
        ids = tuple(each.evidence for each in done.citations if each.pack == RECALL)
        blocks = [each for part in done.receipt.parts for each in part.blocks]
        return ContextPreview(
            context=done.system_prompt,
            token_count=done.token_count,
            memories=tuple(each for each in found if each.memory.id in ids),
            truncated=any(each.action != "kept" and each.cause != "duplicate" for each in blocks),
            template=template,
            memory_ids=ids,
            ranking_scores={each.memory.id: each.rank or 0.0 for each in found},
            budget_used=100 * done.token_count / budget,
        )

    def _new_assembler(self) -> ContextAssembler:
        project = self._project
        return ContextAssembler(
            {**project.contexts, **{name: self._context(name) for name in self._templates}},
            project.retrievers,
            project.corpora,
            project.compactors,
            policy_registry=project.policies,
            format_registry={**project.formats, **_formats(self._templates)},
            corpora=self._corpora,
        )

    def _context(self, name: str) -> ContextDeclaration:
        """The context of the default template, with another format."""
        base = self._project.contexts[self._template]
        messages = tuple(
            each.model_copy(update={"format": name})
            if isinstance(each, ContextInsertSpec) and each.name == RECALL
            else each
            for each in base.messages or ()
        )
        return base.model_copy(update={"name": name, "messages": messages})


async def _stage(type_: FailureType, work: Awaitable[V]) -> V:
    """The result of one stage; what it raises becomes a failure that says nothing of the inside."""
    try:
        return await work
    except (InputError, BudgetError) as error:
        raise _Failed("validation_error", str(error)) from error
    except Exception as error:
        of_storage = type_ == "search_error" and isinstance(error, _STORAGE_ERRORS)
        kind: FailureType = "storage_error" if of_storage else type_
        raise _Failed(kind, _SAID[kind]) from error
