"""The service: the evidence for a message of a user, by the plan `prime`."""

from __future__ import annotations

import time
from asyncio import gather
from collections import ChainMap, Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from biblicus_context import (
    AnswerCache,
    Citation,
    ContextAssembler,
    ContextAssemblyResult,
    Corpus,
    QueryAnalysis,
    ReceiptBlock,
    analyze_query,
    load_project,
    shipped_plan,
)
from biblicus_context.systems.citations import CitationManager
from biblicus_context.systems.context_cache import ContextCache
from biblicus_context.systems.metrics import ContextMetrics
from biblicus_context.systems.prime.models import (
    ContextItem,
    ContextStats,
    ItemMetadata,
    ItemType,
    PrimeContext,
)
from biblicus_context.systems.prime.relevance import RelevanceScorer, TokenOptimizer
from biblicus_context.systems.user_files import repositories as given
from biblicus_context.systems.user_files.stored import StoredFiles, StoredMessages, StoredReferences
from biblicus_context.systems.user_files.user_corpus import UserCorpus

_TYPES: Final[Mapping[str, ItemType]] = {"references": "reference", "history": "message"}


class _Call(NamedTuple):
    thread_id: str
    user_id: str
    query: QueryAnalysis


_CALL: ContextVar[_Call] = ContextVar("prime call")


class ContextAssemblyService:
    """Builds prime contexts; repositories are of this package (see `open`) or of yours."""

    def __init__(  # noqa: PLR0913 - the design's five, and what tests and servers change
        self,
        file_repo: given.FileRepository,
        context_ref_repo: given.ContextReferenceRepository,
        message_repo: given.MessageRepository,
        scorer: RelevanceScorer | None = None,
        optimizer: TokenOptimizer | None = None,
        *,
        plan: str | Path | None = None,
        cache: AnswerCache | None = None,
        on_metrics: Callable[[ContextMetrics], None] | None = None,
        corpora: Mapping[str, Corpus] | None = None,
    ) -> None:
        """`plan` is a changed copy of the shipped plan; `corpora` are those that `open` made."""
        self.files, self.references, self.messages = file_repo, context_ref_repo, message_repo
        self._cache, self._on_metrics = ContextCache(cache, entries=100, seconds=30), on_metrics
        changes = [each.settings for each in (scorer, optimizer) if each]
        self._assembler = ContextAssembler.from_path(
            plan or shipped_plan("prime"),
            corpora=corpora or {},
            retriever_functions={} if corpora else self._sources(),
            retriever_settings={"evidence": dict(ChainMap(*changes))},
        )

    @staticmethod
    def open(place: str | Path, *, workspace: str = "prime", **options: Any) -> StoredService:
        """A service over a folder; `workspace` is a tenant, `options` are those of the constructor."""
        project = load_project(options.get("plan") or shipped_plan("prime"))
        settings = {name: each.config for name, each in project.retrievers.items()}
        corpora = {}
        for name, declared in project.corpora.items():
            config = {**declared.config, "store": str(Path(place) / name)}
            corpora[name] = Corpus.open(declared.model_copy(update={"config": config}))
        files = StoredFiles(UserCorpus(corpora["files"], workspace), settings)
        messages = StoredMessages(UserCorpus(corpora["messages"], workspace), settings)
        return StoredService(files, StoredReferences(files), messages, corpora=corpora, **options)

    async def build_prime_context(
        self, thread_id: str, user_message: str, user_id: str
    ) -> PrimeContext:
        """The evidence for a message, within the budget of the plan; remembered for 30 seconds."""
        began = time.perf_counter()
        versions = await gather(self.files.get_version(user_id), self.messages.get_version(user_id))
        build = partial(self._built, thread_id, user_message, user_id)
        names = thread_id, user_message
        context = await self._cache.get_or_build(PrimeContext, user_id, names, versions, build)
        seconds, rate = time.perf_counter() - began, self._cache.hit_rate
        ContextMetrics.of(context.receipt, seconds, rate).report("prime", self._on_metrics)
        return context

    async def record_feedback(self, item_id: str, user_id: str, *, useful: bool) -> None:
        """Count whether an item was useful: it is ranked higher or lower from now on."""
        await self.files.record_feedback(item_id, user_id, useful=useful)
        self._cache.forget_user(user_id)

    def invalidate(self, pattern: str = "*") -> int:
        """Forget the contexts whose `user/thread/message` matches a pattern with `*`."""
        return self._cache.invalidate(pattern)

    async def _built(self, thread_id: str, user_message: str, user_id: str) -> PrimeContext:
        query, assembler, ids = analyze_query(user_message), self._assembler, list[str]()
        _CALL.set(_Call(thread_id, user_id, query))
        if isinstance(self.references, StoredReferences):
            corpus = self.references.files.corpus
            assembler = assembler.for_principal(corpus.principal(user_id))
            ids = await corpus.referred(user_id, thread_id)
        inputs = {"question": user_message, "thread": thread_id, "references": ids}
        return _context(await assembler.aassemble("prime", inputs=inputs), query)

    def _sources(self) -> dict[str, Callable[[Any], Any]]:
        """What asks repositories of others, in place of the retrievers of the plan."""
        files, references, messages = self.files, self.references, self.messages
        asked: dict[str, Callable[[_Call], Awaitable[Sequence[Any]]]] = {
            "references": lambda call: references.find_by_thread_id(call.thread_id, call.user_id),
            "full_text": lambda call: files.search_content(call.query.text, call.user_id),
            "keywords": lambda call: files.search_by_keywords(
                (*call.query.keywords, *call.query.phrases), call.user_id
            ),
            "similar": lambda call: files.fuzzy_search(call.query.text, call.user_id),
            "accessed": lambda call: files.get_recently_accessed(call.user_id),
            "history": lambda call: messages.get_recent(call.thread_id, call.user_id),
        }

        async def answer(ask: Callable[[_Call], Awaitable[Sequence[Any]]], _: object) -> list[Any]:
            return [each.evidence() for each in await ask(_CALL.get())]

        return {name: partial(answer, ask) for name, ask in asked.items()}


class StoredService(ContextAssemblyService):
    """A service whose repositories can be written to."""

    files: StoredFiles
    references: StoredReferences
    messages: StoredMessages


def _context(result: ContextAssemblyResult, query: QueryAnalysis) -> PrimeContext:
    offered = {each.id: each for each in result.receipt.parts[0].blocks}
    items = [_item(each, offered[each.evidence], query) for each in result.citations]
    named = {(_type(each), each.source or each.id) for each in offered.values()}
    found = Counter(kind for kind, _ in named)
    return PrimeContext(
        total_tokens=result.token_count,
        items=tuple(items),
        citations=tuple(CitationManager().generate_citations(items)),
        stats=ContextStats(
            explicit_count=found["reference"],
            search_count=found["file"],
            history_count=found["message"],
            excluded_count=len(offered) - len(items),
        ),
        text=result.system_prompt,
        receipt=result.receipt,
    )


def _item(placed: Citation, offered: ReceiptBlock, query: QueryAnalysis) -> ContextItem:
    text, type_ = placed.excerpt.lower(), _type(offered)
    ranks = [score for name, score in offered.parts.items() if name in offered.sources]
    return ContextItem(
        id=placed.evidence,
        type=type_,
        content=placed.excerpt,
        source=placed.source or placed.evidence,
        relevance=placed.score or 0.0,
        tokens=placed.tokens,
        excerpt=placed.excerpt if type_ == "file" else None,
        metadata=ItemMetadata(
            path=placed.path,
            created_at=placed.created,
            search_rank=max(ranks, default=None),
            matched_keywords=tuple(each for each in query.keywords if each in text),
        ),
    )


def _type(block: ReceiptBlock) -> ItemType:
    return next((_TYPES[name] for name in block.sources if name in _TYPES), "file")
