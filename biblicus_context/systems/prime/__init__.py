"""Prime contexts: the evidence for each message of a chat over files."""

from biblicus_context import CitationManager as CitationManager
from biblicus_context import ContextMetrics as ContextMetrics
from biblicus_context import ContextReferenceRepository as ContextReferenceRepository
from biblicus_context import FileMatch, SourceCitation, ThreadMessage, UserFile
from biblicus_context import FileRepository as FileRepository
from biblicus_context import MessageRepository as MessageRepository
from biblicus_context.systems.prime.models import ContextItem as ContextItem
from biblicus_context.systems.prime.models import ContextStats as ContextStats
from biblicus_context.systems.prime.models import ItemMetadata as ItemMetadata
from biblicus_context.systems.prime.models import PrimeContext as PrimeContext
from biblicus_context.systems.prime.relevance import OptimizationResult as OptimizationResult
from biblicus_context.systems.prime.relevance import Optimizer as Optimizer
from biblicus_context.systems.prime.relevance import RelevanceScorer as RelevanceScorer
from biblicus_context.systems.prime.relevance import Scorer as Scorer
from biblicus_context.systems.prime.relevance import TokenOptimizer as TokenOptimizer
from biblicus_context.systems.prime.service import ContextAssemblyService as ContextAssemblyService
from biblicus_context.systems.prime.service import StoredService as StoredService

Citation = SourceCitation
File = UserFile
Message = ThreadMessage
SearchResult = FileMatch
