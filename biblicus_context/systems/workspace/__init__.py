"""A block workspace: pages, blocks and rows, and contexts about them."""

from biblicus_context.systems.workspace.block_store import BlockStore as BlockStore
from biblicus_context.systems.workspace.builder import ContextBuilder as ContextBuilder
from biblicus_context.systems.workspace.importing import ImportedPages as ImportedPages
from biblicus_context.systems.workspace.models import (
    Block as Block,
    ContextConfig as ContextConfig,
    ContextHints as ContextHints,
    ContextItem as ContextItem,
    ContextMetadata as ContextMetadata,
    ContextPayload as ContextPayload,
    ContextRequest as ContextRequest,
    ContextSection as ContextSection,
    ContextValidationResult as ContextValidationResult,
    Focus as Focus,
    Preferences as Preferences,
    TokenBudget as TokenBudget,
    User as User,
)
from biblicus_context.systems.workspace.record_tree import (
    RecordReaders as RecordReaders,
    RecordTree as RecordTree,
)
