"""A learning memory for coding agents: what was learned, found again before a task and after a failure."""

from biblicus_context.systems.learning.assembler import ContextAssembler, InvalidContextTypeError
from biblicus_context.systems.learning.models import (
    CodeUnit,
    Commit,
    ContextItem,
    Experience,
    FormattedContext,
    Hit,
    Memory,
    Value,
)
from biblicus_context.systems.learning.searcher import Searcher
from biblicus_context.systems.learning.store import LearningStore

__all__ = [
    "CodeUnit",
    "Commit",
    "ContextAssembler",
    "ContextItem",
    "Experience",
    "FormattedContext",
    "Hit",
    "InvalidContextTypeError",
    "LearningStore",
    "Memory",
    "Searcher",
    "Value",
]
