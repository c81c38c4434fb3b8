"""A learning memory for coding agents: what was learned, found again before a task and after a failure."""

from biblicus_context import RelevantItem as RelevantItem
from biblicus_context.systems.learning.assembler import CONTEXT_TYPES as CONTEXT_TYPES
from biblicus_context.systems.learning.assembler import ContextAssembler as ContextAssembler
from biblicus_context.systems.learning.assembler import ContextAssemblyError as ContextAssemblyError
from biblicus_context.systems.learning.assembler import (
    InvalidContextTypeError as InvalidContextTypeError,
)
from biblicus_context.systems.learning.code_unit import CodeUnit as CodeUnit
from biblicus_context.systems.learning.code_unit import code_unit as code_unit
from biblicus_context.systems.learning.commit import Commit as Commit
from biblicus_context.systems.learning.commit import commit_of as commit_of
from biblicus_context.systems.learning.indexed_models import IndexedModels as IndexedModels
from biblicus_context.systems.learning.model_block import model_block as model_block
from biblicus_context.systems.learning.models import Axis as Axis
from biblicus_context.systems.learning.models import ContextItem as ContextItem
from biblicus_context.systems.learning.models import Experience as Experience
from biblicus_context.systems.learning.models import FormattedContext as FormattedContext
from biblicus_context.systems.learning.models import Memory as Memory
from biblicus_context.systems.learning.models import Value as Value
from biblicus_context.systems.learning.searcher import Searcher as Searcher
from biblicus_context.systems.learning.source_searches import SourceSearch as SourceSearch
from biblicus_context.systems.learning.source_searches import SourceSearches as SourceSearches
from biblicus_context.systems.learning.store import LearningStore as LearningStore
