"""A block workspace: pages, blocks and rows, and contexts about them."""

from biblicus_context.corpora import Forgotten as Forgotten
from biblicus_context.systems.workspace.block_store import (
    BlockStore as BlockStore,
    SynchronousBlockStore as SynchronousBlockStore,
)
from biblicus_context.systems.workspace.builder import (
    ContextBuilder as ContextBuilder,
    SynchronousContextBuilder as SynchronousContextBuilder,
)
from biblicus_context.systems.workspace.importing import ImportedPages as ImportedPages
from biblicus_context.systems.workspace.models import (
    Block as Block,
    BlockPage as BlockPage,
    ContextConfig as ContextConfig,
    ContextHints as ContextHints,
    ContextItem as ContextItem,
    ContextMetadata as ContextMetadata,
    ContextPayload as ContextPayload,
    ContextRequest as ContextRequest,
    ContextSection as ContextSection,
    ContextValidationResult as ContextValidationResult,
    Floor as Floor,
    Focus as Focus,
    Preferences as Preferences,
    TokenBudget as TokenBudget,
    User as User,
)
from biblicus_context.systems.workspace.reader_log import (
    ReaderChange as ReaderChange,
    RecordReaders as RecordReaders,
)
from biblicus_context.systems.workspace.record_tree import RecordTree as RecordTree
