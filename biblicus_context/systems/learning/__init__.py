"""A learning memory for coding agents: what was learned, found again before a task and after a failure."""

from biblicus_context import CodeUnit, Commit
from biblicus_context.systems.formatted_context import ContextItem, FormattedContext
from biblicus_context.systems.learning.assembler import (
    CONTEXT_TYPES,
    ContextAssembler,
    ContextAssemblyError,
    InvalidContextTypeError,
)
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value
from biblicus_context.systems.learning.searcher import Searcher
from biblicus_context.systems.learning.store import LearningStore
from biblicus_context.systems.typed_records import Hit

__all__ = [
    "CONTEXT_TYPES", "Axis", "CodeUnit", "Commit", "ContextAssembler", "ContextAssemblyError",
    "ContextItem", "Experience", "FormattedContext", "Hit", "InvalidContextTypeError",
    "LearningStore", "Memory", "Searcher", "Value",
]  # fmt: skip
