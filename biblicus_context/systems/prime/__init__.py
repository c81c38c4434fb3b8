"""Prime contexts: the evidence for each message of a chat over files."""

from biblicus_context.corpora import Forgotten as Forgotten
from biblicus_context.systems.prime.citation_manager import (
    CitationManager as CitationManager,
    SourceCitation,
)
from biblicus_context.systems.prime.judging import (
    rank_candidates as rank_candidates,
    select_candidates as select_candidates,
)
from biblicus_context.systems.prime.metrics import ContextMetrics as ContextMetrics
from biblicus_context.systems.prime.models import (
    ContextItem as ContextItem,
    ContextStats as ContextStats,
    ItemMetadata as ItemMetadata,
    PrimeContext as PrimeContext,
)
from biblicus_context.systems.prime.relevance import (
    OptimizationResult as OptimizationResult,
    Optimizer as Optimizer,
    RelevanceScorer as RelevanceScorer,
    Scorer as Scorer,
    TokenOptimizer as TokenOptimizer,
)
from biblicus_context.systems.prime.repositories.library import UserLibrary as UserLibrary
from biblicus_context.systems.prime.repositories.models import FileMatch, ThreadMessage, UserFile
from biblicus_context.systems.prime.repositories.protocols import (
    ContextReferenceRepository as ContextReferenceRepository,
    FileRepository as FileRepository,
    MessageRepository as MessageRepository,
)
from biblicus_context.systems.prime.repositories.retrievers import (
    RepositoryRetrievers as RepositoryRetrievers,
)
from biblicus_context.systems.prime.repositories.stored_files import (
    StoredFiles as StoredFiles,
    SyncedFiles as SyncedFiles,
)
from biblicus_context.systems.prime.repositories.stored_messages import (
    StoredMessages as StoredMessages,
)
from biblicus_context.systems.prime.repositories.stored_references import (
    StoredReferences as StoredReferences,
)
from biblicus_context.systems.prime.repositories.user_corpus import UserCorpus as UserCorpus
from biblicus_context.systems.prime.result_cache import ResultCache as ResultCache
from biblicus_context.systems.prime.service import (
    ContextAssemblyService as ContextAssemblyService,
    StoredService as StoredService,
)

Citation = SourceCitation
File = UserFile
Message = ThreadMessage
SearchResult = FileMatch
