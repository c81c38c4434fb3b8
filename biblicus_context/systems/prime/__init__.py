"""Prime contexts: the evidence for each message of a chat over files."""

from biblicus_context.systems.citations import Citation, CitationManager
from biblicus_context.systems.metrics import ContextMetrics
from biblicus_context.systems.prime.models import (
    ContextItem,
    ContextStats,
    ItemMetadata,
    PrimeContext,
)
from biblicus_context.systems.prime.relevance import (
    OptimizationResult,
    RelevanceScorer,
    TokenOptimizer,
)
from biblicus_context.systems.prime.service import ContextAssemblyService, StoredService
from biblicus_context.systems.user_files.models import File, Message, SearchResult
from biblicus_context.systems.user_files.repositories import (
    ContextReferenceRepository,
    FileRepository,
    MessageRepository,
)

__all__ = [
    "Citation", "CitationManager", "ContextAssemblyService", "ContextItem", "ContextMetrics",
    "ContextReferenceRepository", "ContextStats", "File", "FileRepository", "ItemMetadata", "Message",
    "MessageRepository", "OptimizationResult", "PrimeContext", "RelevanceScorer", "SearchResult",
    "StoredService", "TokenOptimizer",
]  # fmt: skip
