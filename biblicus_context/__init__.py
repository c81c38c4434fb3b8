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
    "assembly.result.attribution": "Attribution CitedAnswer attribute cite",
    "assembly.result.cache_marks": "CacheMark",
    "assembly.result.citations": "Citation",
    "assembly.result.receipt": "Receipt ReceiptBlock ReceiptPart ReceiptTurns",
    "assembly.result.result": "ContextAssemblyResult",
    "assembly.result.spans": "PartSpan PieceSpan",
    "base.best_effort": "BestEffort",
    "base.doors": "door",
    "base.version": "__version__",
    "corpora": "Corpus CorpusRetriever Evidence",
    "corpora.clusters": "Cluster",
    "corpora.corpus_records": "Removed",
    "corpora.model_store": "FoundModel ModelStore",
    "corpora.record_model": "RecordModel",
    "corpora.relevant_items": "RelevantItem",
    "corpora.answer_cache": "AnswerCache MemoryAnswerCache",
    "corpora.stored_answers": "StoredAnswerCache",
    "corpora.context_pack": "retrieve_context_pack",
    "embedders": "AllowedKeys CachedEmbedder Embedder KeyHosts",
    "errors": "BudgetError CompactorError ContextError CycleError EmbedderError FormatError InputError LoadError MissingExtraError PlanError ProjectError RetrieverError TemplateError UnknownNameError UnknownPackError",
    "formats": "After AnthropicArguments Cache Foreign GeminiArguments LateSystem Lifetime OpenAIMessages OpenAIResponseItems Signatures",
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
    "retrieval.packs.block_builder": "ContextBlock ContextBlockBuildRequest ContextBlockBuildResult ContextSectionBudget build_context_pack_from_blocks",
    "retrieval.packs.builders": "ContextPackPolicy build_context_pack",
    "retrieval.packs.fitters": "CharacterBudget TokenBudget TokenCounter count_tokens fit_context_pack_to_character_budget fit_context_pack_to_token_budget",
    "retrieval.packs.pack": "ContextPack ContextPackBlock",
    "retrieval.requests.request": "ContextRetrieverRequest",
    "spec.budget": "ContextBudgetSpec ContextPackBudgetSpec PackShareSpec ReserveSpec",
    "spec.compactor": "CompactorDeclaration",
    "spec.context": "ContextDeclaration InputSpec",
    "spec.corpus": "CorpusDeclaration",
    "spec.directive": "AssistantMessageSpec ContextInsertSpec ContextMessageSpec ContextTemplateSpec Directive FirstSpec HistoryInsertSpec SystemMessageSpec UserMessageSpec",
    "spec.format": "BlockFormatSpec FormatDeclaration FormatSpec",
    "spec.pack": "ContextPackSpec PackOptions",
    "spec.policy": "ContextExpansionSpec ContextPolicySpec FramingSpec PolicyDeclaration",
    "spec.retriever": "RetrieverDeclaration",
    "spec.retriever_settings": "Names",
    "stores": "Document Metadata Principal Readers Relation Store StoreError",
    "text.compactors": "BaseCompactor CompactionRequest Shortened SummaryCompactor TruncateCompactor build_compactor",
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
