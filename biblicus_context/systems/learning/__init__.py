"""A learning memory for coding agents: what was learned, found again before a task and after a failure."""

from biblicus_context.corpora import Forgotten as Forgotten, RelevantItem as RelevantItem
from biblicus_context.systems.learning.assembler import (
    CONTEXT_TYPES as CONTEXT_TYPES,
    ContextAssembler as ContextAssembler,
    ContextAssemblyError as ContextAssemblyError,
    InvalidContextTypeError as InvalidContextTypeError,
    SynchronousContextAssembler as SynchronousContextAssembler,
)
from biblicus_context.systems.learning.blocks import model_block as model_block
from biblicus_context.systems.learning.code_unit import CodeUnit as CodeUnit, code_unit as code_unit
from biblicus_context.systems.learning.commit import Commit as Commit, commit_of as commit_of
from biblicus_context.systems.learning.indexed_models import IndexedModels as IndexedModels
from biblicus_context.systems.learning.models import (
    Axis as Axis,
    ContextItem as ContextItem,
    Experience as Experience,
    FormattedContext as FormattedContext,
    Memory as Memory,
    Value as Value,
)
from biblicus_context.systems.learning.searcher import (
    Floor as Floor,
    KnownAreas as KnownAreas,
    KnownPrinciples as KnownPrinciples,
    Searcher as Searcher,
    WithFloors as WithFloors,
)
from biblicus_context.systems.learning.source_searches import (
    SourceSearch as SourceSearch,
    SourceSearches as SourceSearches,
)
from biblicus_context.systems.learning.store import (
    LearningStore as LearningStore,
    SynchronousLearningStore as SynchronousLearningStore,
)
