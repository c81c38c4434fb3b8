"""The engine: searches memories, and builds contexts of them by the plan `memory`."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from inspect import isawaitable
from pathlib import Path
from typing import Any, Final, TypeAlias

import biblicus_context as bctx
from biblicus_context.base import (
    also_named,
    options_named,
    options_of,
    require,
    require_counts,
    require_text,
)
from biblicus_context.corpora import Forgotten
from biblicus_context.formats import history_from_any_client
from biblicus_context.reading import shipped_plan
from biblicus_context.retrieval import (
    is_follow_up,
    is_small_talk,
    with_last_question,
)
from biblicus_context.systems.memory import models
from biblicus_context.systems.memory.breadth_first import breadth_first
from biblicus_context.systems.memory.conflicts import codes_first, newest_of_alike_first
from biblicus_context.systems.memory.guarded_calls import Failures, GuardedCalls
from biblicus_context.systems.memory.models import MemoryQuery, SearchOptions
from biblicus_context.systems.memory.named_rankers import NamedRankers
from biblicus_context.systems.memory.outcomes import Failure, Result
from biblicus_context.systems.memory.query_vectors import (
    CacheConfig,
    EmbeddingProvider,
    QueryVectors,
)
from biblicus_context.systems.memory.record_pack import pack_of_records
from biblicus_context.systems.memory.search_log import SearchAnalytics, SearchLog
from biblicus_context.systems.memory.store import MemoryStore, StorageClient
from biblicus_context.systems.memory.synchronous import SynchronousEngine

Found: TypeAlias = models.FoundMemories
Ranker: TypeAlias = Callable[[list[models.SearchResult]], Sequence[models.SearchResult]]
Query: TypeAlias = str | Sequence[float]
Options: TypeAlias = SearchOptions | Mapping[str, Any] | None
_WIDE: Final = 10
"""Results among which the newer of two is looked for, however few are asked for."""
_DESIGN: Final[Mapping[str, Any]] = {
    "similarity": {"weight": 0.7, "scale": "absolute"},
    "recency": 0.15,
    "confidence": 0.15,
}
"""The weights that the system began with: what was said today counts as much as an answer."""
_FAILURES: Final[Failures] = {
    bctx.UnknownNameError: Failure("template_not_found"),
    (bctx.InputError, bctx.BudgetError, bctx.TemplateError): Failure("validation_error"),
    bctx.EmbedderError: Failure("embedding_error", "the query could not be embedded"),
    (bctx.StoreError, OSError): Failure("storage_error", "the storage failed"),
    Exception: Failure("search_error", "the search failed"),
}


class ContextEngine:
    """Every method is for one workspace, and returns `Ok` or `Err`.

    `plan` may be a changed copy; the tokens of `model` are counted in place of those of its model.
    """

    def __init__(  # noqa: PLR0913 - the design's seven, and two that every facade has
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
        model: str | None = None,
        search_log: SearchLog | None = None,
        query_rewriter: Callable[[str, Sequence[Any]], Any] | None = None,
    ) -> None:
        """`query_rewriter` gets a query and the history of the call, and returns a better query.

        `search_log` is one that outlives the process, such as `SearchLog.at(folder)`.
        """
        require(StorageClient, "Pass MemoryStore.open(folder).", storage_client=storage_client)
        require_counts(default_token_budget=default_token_budget)
        plan = plan or shipped_plan("memory")
        project = bctx.load_project(plan).expecting("memory", "recall")
        own = storage_client.corpus if isinstance(storage_client, MemoryStore) else None
        self._assembler = bctx.ContextAssembler.from_path(
            plan,
            corpora={"memories": own} if own else {},
            retriever_functions={"recall": lambda _: None},
        )
        self._assembler.warm_up()  # a mistake in the plan is an error now, not in each call
        self._templates = {
            name: models.ContextTemplate(name=name, **each.format.model_dump(exclude_none=True))
            for name, each in project.formats.items()
        }
        counter = self._assembler.counter("memory", model)
        self._settings = {**project.retrievers["recall"].config, "counter": counter.name}
        declared = {"default": self._settings.get("rank", "similarity"), "design": _DESIGN}
        self._rankers = NamedRankers(declared)
        self._storage = storage_client
        self._searches = SearchLog() if search_log is None else search_log
        self._rewriter = query_rewriter
        searched = own.embedder if own else None
        self._vectors = QueryVectors.matching(
            searched, embedding_provider, cache_config, dimensions=expected_embedding_dimensions
        )
        self._template, self._budget, self._model = default_template, default_token_budget, model
        options_named("default_template", models.ContextTemplate, default_template, self._templates)
        logger = logger or logging.getLogger(__name__)
        self._calls = GuardedCalls(_FAILURES, log=self._searches, logger=logger)
        self.sync = SynchronousEngine(self)

    def register_template(
        self, name: str, template: models.ContextTemplate | Mapping[str, Any]
    ) -> None:
        """Add a template, which `template=` can name."""
        self._templates[name] = options_of(models.ContextTemplate, template, {"name": name})

    def register_ranker(self, name: str, ranker: Ranker) -> None:
        """Add a ranker, which `ranker=` can name."""
        self._rankers.add(name, ranker)

    def analytics(self, workspace_id: str) -> SearchAnalytics:
        """The last searches of a workspace, in figures."""
        return self._searches.analytics(workspace_id)

    async def forget_workspace(self, workspace_id: str) -> Forgotten:
        """Remove all memories of a workspace, and what was searched there; what is returned certifies it."""
        storage = self._storage
        if not isinstance(storage, MemoryStore):
            fix = "Forget it there, and its searches with `SearchLog.forget`."
            raise bctx.InputError("the storage is not a MemoryStore", found=storage, fix=fix)
        forgotten = await storage.forget_workspace(workspace_id)
        await asyncio.to_thread(self._searches.forget, workspace_id)
        return forgotten

    async def search(
        self, query: Query, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[Found]:
        """The memories that match a text, or are close to a vector, best first."""
        return await self._answer(self._search, query, workspace_id, options, more)

    async def build_context(
        self, query: Query, workspace_id: str, options: Options = None, **more: Any
    ) -> Result[models.ContextPreview]:
        """A context of the memories that match a text, or are close to a vector."""
        return await self._answer(self._build, query, workspace_id, options, more)

    search_by_vector = also_named(search, vector="query")
    build_context_by_vector = also_named(build_context, vector="query")
    preview_context = build_context

    async def search_batch(
        self, queries: Sequence[str], workspace_id: str, options: Options = None, **more: Any
    ) -> list[Result[Found]]:
        """The results of several queries, which are embedded together."""
        if not isinstance(queries, Iterable):
            return [await self.search(queries, workspace_id, options, **more)]
        queries = [queries] if isinstance(queries, str) else [*queries]
        if self._vectors:
            await self._vectors.prepare(queries)
        return [await self.search(query, workspace_id, options, **more) for query in queries]

    async def _answer(
        self, work: Any, query: Query, workspace_id: str, options: Options, more: Mapping[str, Any]
    ) -> Result[Any]:
        is_vector = isinstance(query, Iterable) and not isinstance(query, str)
        asked: dict[str, Any] = {"vector": query} if is_vector else {"text": query}

        async def answer() -> tuple[Any, int]:
            require_text(workspace_id=workspace_id, query=asked.get("text", "a vector"))
            kind = models.ContextOptions if work == self._build else SearchOptions
            known = options_of(kind, options, more)
            if known.history and not is_vector:
                asked["text"] = await self._in_conversation(query, known.history)
            call = options_of(MemoryQuery, known, asked | {"settings": self._settings})
            value = await work(call, workspace_id)
            return value, len(value if isinstance(value, list) else value.memories)

        return await self._calls.run(answer, query=asked.get("text", ""), workspace=workspace_id)

    async def _search(self, query: MemoryQuery, workspace_id: str) -> Found:
        if query.vector is None and self._vectors and not is_small_talk(query.text):
            (vector,) = await self._vectors.of([query.text])
            query = query.model_copy(update={"vector": vector})
        is_default = query.ranker == "default" and self._rankers.is_declared("default")
        # The newer of two may be below the last one that is asked for.
        wide = query.model_copy(update={"limit": max(query.limit, _WIDE)}) if is_default else query
        answer = await self._storage.search_memories(workspace_id, wide)
        relevance = answer.relevance if isinstance(answer, models.FoundMemories) else None
        found = [*answer][: wide.limit]
        if not is_default or any(e.rank is None for e in found):
            ordered = self._rankers.order(found, query.ranker, lambda e: (e.as_record(), e.score))
            found = [each if rank is None else replace(each, rank=rank) for each, rank in ordered]
        if is_default:
            found = newest_of_alike_first(found, query.text, lambda each: each.memory)
            found = codes_first(found, query.text, lambda each: each.memory)
            found = _without_talk(found)[: query.limit]
        if not query.include_relationships:
            return Found.of(found, relevance)
        walk = await breadth_first(
            [each.memory.id for each in found],
            lambda memories: self._relationships(memories, workspace_id),
            lambda related: related.memory.id,
            query.relationship_depth,
        )
        related = (
            replace(
                each,
                relationships=tuple(
                    replace(one, depth=depth) for one, depth in near if _is_asked(one.memory, query)
                ),
            )
            for each, near in zip(found, walk, strict=True)
        )
        return Found.of(related, relevance)

    async def _in_conversation(self, query: Query, history: Sequence[Any]) -> Query:
        """The query as it is meant: by the rewriter, else with the last question where it follows on it."""
        if not isinstance(query, str):
            return query
        messages = history_from_any_client(history)
        if self._rewriter is not None:
            made = self._rewriter(query, messages)
            made = await made if isawaitable(made) else made
            return made if isinstance(made, str) and made.strip() else query
        if not is_follow_up(query):
            return query
        said = [e["content"] for e in messages if e.get("role") == "user"]
        last = next((e for e in reversed(said) if isinstance(e, str) and e.strip() != query), "")
        return with_last_question(query, last)

    async def _relationships(
        self, memories: Sequence[str], workspace_id: str
    ) -> Sequence[Sequence[models.RelatedMemory]]:
        """Those of many memories; a store answers for all of them at once."""
        storage = self._storage
        if isinstance(storage, MemoryStore):
            return await storage.get_relationships_of(memories, workspace_id)
        asked = (storage.get_memory_relationships(each, workspace_id) for each in memories)
        return await asyncio.gather(*asked)

    async def _build(self, query: MemoryQuery, workspace_id: str) -> models.ContextPreview:
        named, budget = query.template or self._template, query.token_budget or self._budget
        template = options_named("template", models.ContextTemplate, named, self._templates)
        wanted: dict[str, Any] = {"token_budget": budget}
        if "limit" not in query.model_fields_set and not query.include_relationships:
            wanted |= {"limit": 1000, "fills_budget": True}
        found = await self._search(query.model_copy(update=wanted), workspace_id)
        if query.include_metadata or template.include_metadata:
            own = sorted({name for each in found for name in each.memory.metadata})
            template = template.with_facts("type", "confidence", "timestamp", metadata=own)
        if query.include_dates:
            template = _with_date(template)
        records = [(each.as_record(), each.score) for each in found]
        related = [(one.memory.as_record(), None) for each in found for one in each.relationships]
        pack = pack_of_records([*records, *related], indent="  ")  # no line forges a memory
        done = await self._assembler.for_principal(bctx.Principal(workspace_id)).aassemble(
            "memory",
            inputs={"query": query.text},
            budget=budget,
            model=self._model,
            formats={"recall": template},
            retrievers={"recall": lambda _: pack},
        )
        ids = done.receipt.placed("recall")
        return models.ContextPreview(
            context=done.system_prompt,
            token_count=done.token_count,
            memories=tuple(each for each in found if each.memory.id in ids),
            truncated=not done.receipt.is_complete or any(each.excerpt for each in found),
            verdict=found.verdict,
            because=found.relevance.text if found.relevance and not found else "",
            template=template.name,
            estimated=done.estimated,
            memory_ids=ids,
            ranking_scores=dict.fromkeys(ids, 0.0) | {e.memory.id: e.rank or 0.0 for e in found},
            budget_used=100 * done.token_count / budget,
        )


def _without_talk(found: Sequence[models.SearchResult]) -> list[models.SearchResult]:
    """Without what greets or thanks, unless that is all: it answers nothing."""
    telling = [each for each in found if not is_small_talk(each.memory.content)]
    return telling or [*found]


def _is_asked(memory: models.Memory, query: MemoryQuery) -> bool:
    """Whether what a relation leads to is one of the memories that a call asks for."""
    kinds, conversation = query.memory_types, query.conversation_id
    created, least = memory.created_at, query.min_confidence
    return (
        (not kinds or memory.type in kinds)
        and (conversation is None or memory.conversation_id == conversation)
        and (least is None or (memory.confidence is not None and memory.confidence >= least))
        and (query.date_from is None or (created is not None and created >= query.date_from))
        and (query.date_to is None or (created is not None and created <= query.date_to))
        and (query.as_of is None or created is None or created <= query.as_of)
        and (not query.tags or bool({*query.tags} & {*memory.tags}))
        and all(memory.metadata.get(name) == value for name, value in query.metadata.items())
    )


def _with_date(template: models.ContextTemplate) -> models.ContextTemplate:
    """With the day of each memory before its text, unless the template writes a time itself."""
    item = template.item or "{{content}}"
    if _HAS_TIME.search(item) or not _CONTENT.search(item):
        return template
    dated = _CONTENT.sub(lambda found: "({{created[:10]}}) " + found[0], item, count=1)
    return template.model_copy(update={"item": dated})


_HAS_TIME: Final = re.compile(r"\{\{?\s*(?:timestamp|created|updated|date)")
_CONTENT: Final = re.compile(r"\{\{?\s*content\b[^}]*\}\}?")
