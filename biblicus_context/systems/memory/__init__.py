"""A memory: what was said and decided is remembered, found again, and written into a context."""

from biblicus_context import CacheConfig as CacheConfig
from biblicus_context import Err as Err
from biblicus_context import Ok as Ok
from biblicus_context.systems.memory.engine import ContextEngine as ContextEngine
from biblicus_context.systems.memory.models import ContextOptions as ContextOptions
from biblicus_context.systems.memory.models import ContextPreview as ContextPreview
from biblicus_context.systems.memory.models import ContextResult as ContextResult
from biblicus_context.systems.memory.models import ContextTemplate as ContextTemplate
from biblicus_context.systems.memory.models import Memory as Memory
from biblicus_context.systems.memory.models import MemoryQuery as MemoryQuery
from biblicus_context.systems.memory.models import RelatedMemory as RelatedMemory
from biblicus_context.systems.memory.models import Relationship as Relationship
from biblicus_context.systems.memory.models import SearchOptions as SearchOptions
from biblicus_context.systems.memory.models import SearchResult as SearchResult
from biblicus_context.systems.memory.store import MemoryStore as MemoryStore
from biblicus_context.systems.memory.store import StorageClient as StorageClient
