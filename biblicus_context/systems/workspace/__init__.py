"""A block workspace: pages, blocks and rows, and contexts about them."""

from biblicus_context.systems.workspace.block_store import BlockStore as BlockStore
from biblicus_context.systems.workspace.builder import ContextBuilder as ContextBuilder
from biblicus_context.systems.workspace.models import Block as Block
from biblicus_context.systems.workspace.models import ContextConfig as ContextConfig
from biblicus_context.systems.workspace.models import ContextHints as ContextHints
from biblicus_context.systems.workspace.models import ContextItem as ContextItem
from biblicus_context.systems.workspace.models import ContextMetadata as ContextMetadata
from biblicus_context.systems.workspace.models import ContextPayload as ContextPayload
from biblicus_context.systems.workspace.models import ContextRequest as ContextRequest
from biblicus_context.systems.workspace.models import ContextSection as ContextSection
from biblicus_context.systems.workspace.models import (
    ContextValidationResult as ContextValidationResult,
)
from biblicus_context.systems.workspace.models import Focus as Focus
from biblicus_context.systems.workspace.models import TokenBudget as TokenBudget
from biblicus_context.systems.workspace.models import User as User
from biblicus_context.systems.workspace.record_tree import RecordReaders as RecordReaders
from biblicus_context.systems.workspace.record_tree import RecordTree as RecordTree
