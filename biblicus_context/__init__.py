"""Fits declared knowledge into a language model's context window, within an exact token budget.

Here are the names with which a program declares contexts and assembles them. All others are public in
their room, such as `biblicus_context.corpora`, or their system, such as `biblicus_context.systems.memory`.
"""

from biblicus_context.base.exports import exports

_MOVED = {
    "assembly": "AssembleOptions Attribution CacheMark CitedAnswer IndexWhen PartSpan "
    "PieceSpan ReceiptBlock ReceiptPart ReceiptTurns RecentMessage",
    "base": "BestEffort door",
    "corpora": "AnswerCache Cluster CorpusRetriever Evidence FoundModel MemoryAnswerCache "
    "ModelStore RecordModel RelevantItem Removed StoredAnswerCache",
    "embedders": "AllowedKeys CachedEmbedder Embedder KeyHosts",
    "formats": "After=MarkAfter AnthropicArguments Cache=CacheMarks Foreign=ForeignParts "
    "GeminiArguments LateSystem=LateSystemMessages Lifetime=CacheLifetime "
    "OpenAIMessages OpenAIResponseItems Signatures=ToolSignatures",
    "ingest": "Progress Reader ReaderRegistry RecordPart RelationTo Skipped=SkippedFile "
    "Summary WalkSettings Written=WriteSummary markdown_records notion_records",
    "reading": "Kind SourceLocation shipped_plan",
    "retrieval": "BiblicusCorpus Candidate Origin QueryAnalysis analyze_query citation_id "
    "ordered_by rerank",
    "spec": "BlockFormatSpec Directive FirstSpec FormatSpec FramingSpec InputSpec Names=NameList "
    "PackOptions PackShareSpec ReserveSpec",
    "stores": "Document Metadata Relation Store",
    "text": "Counter CounterLike Counters Framing ImageRule Shortened TableContents "
    "escaped_headings",
}
"""Names that were here, by the room that has them now; `old=new` where the name is another one."""

__getattr__, __dir__, __all__ = exports(
    __name__,
    {
        "assembly": "Citation ContextAssembler ContextAssemblyResult Message Observer "
        "QueryRewriter Receipt Retriever RewriteRequest attribute cite",
        "base": "__version__",
        "corpora": "Corpus retrieve_context_pack",
        "errors": "BudgetError CompactorError ContextError CycleError EmbedderError FormatError "
        "InputError LoadError MissingExtraError PlanError ProjectError RetrieverError "
        "TemplateError UnknownNameError UnknownPackError",
        "ingest": "Record",
        "reading": "Project load_project",
        "retrieval": "CharacterBudget ContextBlock ContextBlockBuildRequest "
        "ContextBlockBuildResult ContextPack ContextPackBlock ContextPackPolicy "
        "ContextRetrieverRequest ContextSectionBudget TokenBudget TokenCounter "
        "build_context_pack build_context_pack_from_blocks count_tokens "
        "fit_context_pack_to_character_budget fit_context_pack_to_token_budget",
        "spec": "AssistantMessageSpec CompactorDeclaration ContextBudgetSpec "
        "ContextDeclaration ContextExpansionSpec ContextInsertSpec ContextMessageSpec "
        "ContextPackBudgetSpec ContextPackSpec ContextPolicySpec ContextTemplateSpec "
        "CorpusDeclaration FormatDeclaration HistoryInsertSpec PolicyDeclaration "
        "RetrieverDeclaration SystemMessageSpec UserMessageSpec",
        "stores": "Principal Readers StoreError",
        "text": "BaseCompactor CompactionRequest Model ModelTable SummaryCompactor "
        "TruncateCompactor build_compactor",
    },
    moved=_MOVED,
)
