"""Fits declared knowledge into a language model's context window, within an exact token budget."""

from __future__ import annotations

from importlib import import_module

_PUBLIC = {
    "assembly.arguments": "AssembleOptions",
    "assembly.assembler": "ContextAssembler",
    "assembly.call": "Message Retriever",
    "assembly.registries": "IndexWhen",
    "assembly.reporting": "Observer",
    "assembly.queries.recent": "RecentMessage",
    "assembly.queries.rewriting": "QueryRewriter RewriteRequest",
    "systems.learning.source_searches": "PlacedHit SourceSearch SourceSearches",
    "assembly.result.attribution": "Attribution CitedAnswer attribute cite",
    "assembly.result.cache_marks": "CacheMark",
    "systems.prime.citation_manager": "Citable CitationManager SourceCitation",
    "assembly.result.citations": "Citation",
    "systems.prime.metrics": "ContextMetrics",
    "assembly.result.receipt": "Receipt ReceiptBlock ReceiptPart ReceiptTurns",
    "assembly.result.result": "ContextAssemblyResult",
    "assembly.result.spans": "PartSpan PieceSpan",
    "systems.memory.options_model": "OptionsModel",
    "base.checked_model": "CheckedModel NonBlankText",
    "systems.memory.breadth_first": "breadth_first",
    "base.best_effort": "BestEffort",
    "base.doors": "door",
    "systems.memory.guarded_calls": "Failures GuardedCalls",
    "base.options": "also_named options_named options_of require require_counts require_one_of "
    "require_text",
    "systems.memory.outcomes": "Err Failure Ok Result",
    "systems.memory.search_log": "SearchAnalytics SearchLog Searched",
    "systems.learning.structured_log": "log_warning",
    "systems.synchronous": "Synchronous",
    "base.version": "__version__",
    "corpora": "Corpus CorpusRetriever Evidence",
    "corpora.clusters": "Cluster",
    "corpora.corpus_records": "Removed",
    "systems.learning.code_unit": "CodeUnit code_unit",
    "systems.learning.commit": "Commit commit_of",
    "systems.workspace.record_tree": "RecordReaders RecordTree",
    "corpora.model_store": "FoundModel ModelStore",
    "systems.learning.indexed_models": "IndexedModels",
    "corpora.record_model": "RecordModel",
    "corpora.relevant_items": "RelevantItem",
    "corpora.answer_cache": "AnswerCache MemoryAnswerCache",
    "systems.memory.record_pack": "pack_of_records",
    "systems.memory.named_rankers": "NamedRankers",
    "systems.prime.result_cache": "ResultCache",
    "corpora.stored_answers": "StoredAnswerCache",
    "systems.prime.repositories.models": "FileMatch ThreadMessage UserFile",
    "systems.prime.repositories.protocols": "ContextReferenceRepository FileRepository MessageRepository",
    "systems.prime.repositories.retrievers": "RepositoryRetrievers",
    "systems.prime.repositories.stored_files": "StoredFiles",
    "systems.prime.repositories.stored_messages": "StoredMessages",
    "systems.prime.repositories.stored_references": "StoredReferences",
    "systems.prime.repositories.user_corpus": "UserCorpus",
    "systems.prime.repositories.library": "UserLibrary",
    "corpora.context_pack": "retrieve_context_pack",
    "embedders": "AllowedKeys CachedEmbedder Embedder KeyHosts",
    "systems.memory.query_vectors": "BytesCache CacheConfig EmbedderProvider EmbeddingProvider QueryVectors",
    "errors": "BudgetError CompactorError ContextError CycleError EmbedderError FormatError "
    "InputError LoadError MissingExtraError PlanError ProjectError RetrieverError TemplateError "
    "UnknownNameError UnknownPackError",
    "formats": "After AnthropicArguments Cache Foreign GeminiArguments LateSystem Lifetime "
    "OpenAIMessages OpenAIResponseItems Signatures",
    "ingest.files.walking": "Skipped WalkSettings",
    "ingest.imports": "markdown_records notion_records",
    "ingest.records": "Record RecordPart RelationTo Written",
    "ingest.readers": "Reader ReaderRegistry",
    "ingest.summary": "Progress Summary",
    "reading": "Project SourceLocation load_project",
    "reading.kinds": "Kind",
    "reading.shipped": "shipped_plan",
    "retrieval.analysis.query_analysis": "QueryAnalysis analyze_query",
    "retrieval.biblicus_corpus": "BiblicusCorpus",
    "retrieval.candidate": "Candidate",
    "retrieval.choosing.given": "rerank",
    "retrieval.rank.ordering": "ordered_by",
    "retrieval.origin": "Origin",
    "retrieval.packs.block_format": "citation_id",
    "systems.prime.judging": "rank_candidates select_candidates",
    "retrieval.packs.block_builder": "ContextBlock ContextBlockBuildRequest ContextBlockBuildResult "
    "ContextSectionBudget build_context_pack_from_blocks",
    "retrieval.packs.builders": "ContextPackPolicy build_context_pack",
    "retrieval.packs.fitters": "CharacterBudget TokenBudget TokenCounter count_tokens "
    "fit_context_pack_to_character_budget fit_context_pack_to_token_budget",
    "systems.learning.model_block": "model_block",
    "retrieval.packs.pack": "ContextPack ContextPackBlock",
    "retrieval.requests.request": "ContextRetrieverRequest",
    "spec.budget": "ContextBudgetSpec ContextPackBudgetSpec PackShareSpec ReserveSpec",
    "spec.compactor": "CompactorDeclaration",
    "spec.context": "ContextDeclaration InputSpec",
    "spec.corpus": "CorpusDeclaration",
    "spec.directive": "AssistantMessageSpec ContextInsertSpec ContextMessageSpec "
    "ContextTemplateSpec Directive FirstSpec HistoryInsertSpec SystemMessageSpec UserMessageSpec",
    "spec.format": "BlockFormatSpec FormatDeclaration FormatSpec",
    "spec.pack": "ContextPackSpec PackOptions",
    "spec.policy": "ContextExpansionSpec ContextPolicySpec FramingSpec PolicyDeclaration",
    "spec.retriever": "RetrieverDeclaration",
    "spec.retriever_settings": "Names",
    "stores": "Document Metadata Principal Readers Relation Store StoreError",
    "text.compactors": "BaseCompactor CompactionRequest Shortened SummaryCompactor TruncateCompactor "
    "build_compactor",
    "text.counters": "Counter CounterLike Counters",
    "text.headings": "escaped_headings",
    "text.messages.framing": "Framing",
    "text.messages.images": "ImageRule",
    "text.models.model": "Model TableContents",
    "text.models.table": "ModelTable",
}
_ROOM = {name: room for room, names in _PUBLIC.items() for name in names.split()}

__all__ = sorted(_ROOM)  # noqa: PLE0605 - the stub file lists the names for type checkers


def __getattr__(name: str) -> object:
    """Import a public name's room when it is first used, so that the package loads at once."""
    if name not in _ROOM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_ROOM[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
