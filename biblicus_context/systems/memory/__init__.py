"""A memory: what was said and decided is remembered, found again, and written into a context."""

from biblicus_context.corpora import Forgotten as Forgotten
from biblicus_context.systems.memory.breadth_first import breadth_first as breadth_first
from biblicus_context.systems.memory.conversations import (
    Extraction as Extraction,
    Fact as Fact,
    Refused as Refused,
    Remembered as Remembered,
    Turn as Turn,
)
from biblicus_context.systems.memory.engine import ContextEngine as ContextEngine
from biblicus_context.systems.memory.guarded_calls import GuardedCalls as GuardedCalls
from biblicus_context.systems.memory.models import (
    ContextOptions as ContextOptions,
    ContextPreview as ContextPreview,
    ContextResult as ContextResult,
    ContextTemplate as ContextTemplate,
    FoundMemories as FoundMemories,
    Memory as Memory,
    MemoryQuery as MemoryQuery,
    OptionsModel as OptionsModel,
    RelatedMemory as RelatedMemory,
    Relationship as Relationship,
    SearchOptions as SearchOptions,
    SearchResult as SearchResult,
)
from biblicus_context.systems.memory.named_rankers import NamedRankers as NamedRankers
from biblicus_context.systems.memory.outcomes import (
    Err as Err,
    Failure as Failure,
    Ok as Ok,
    Result as Result,
)
from biblicus_context.systems.memory.query_vectors import (
    CacheConfig as CacheConfig,
    EmbedderProvider as EmbedderProvider,
    QueryVectors as QueryVectors,
)
from biblicus_context.systems.memory.record_pack import pack_of_records as pack_of_records
from biblicus_context.systems.memory.search_log import (
    LoggedSearch as LoggedSearch,
    SearchLog as SearchLog,
)
from biblicus_context.systems.memory.store import (
    MemoryStore as MemoryStore,
    StorageClient as StorageClient,
)
from biblicus_context.systems.memory.synchronous import (
    SynchronousEngine as SynchronousEngine,
    SynchronousStore as SynchronousStore,
)
