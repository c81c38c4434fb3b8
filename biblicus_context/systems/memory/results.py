"""What searches find, and contexts are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from biblicus_context import Relation
from biblicus_context.systems.memory.models import Memory

Relationship: TypeAlias = Relation
"""A typed arrow from one memory to another: source, target, type, weight."""


@dataclass(frozen=True, slots=True)
class RelatedMemory:
    """A memory that relations lead to."""

    memory: Memory
    relationship: Relationship
    depth: int = 1


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A memory that was found; `score` is how similar it is, and `rank` what it was ordered by."""

    memory: Memory
    score: float
    rank: float | None = None
    relationships: tuple[RelatedMemory, ...] = ()
    excerpt: str | None = None
    """The part of a long memory that was found: what is written into a context."""


@dataclass(frozen=True, slots=True)
class ContextResult:
    """A context, the memories in it, and whether the budget shortened one or left one out."""

    context: str
    token_count: int
    memories: tuple[SearchResult, ...]
    truncated: bool
    template: str


@dataclass(frozen=True, slots=True)
class ContextPreview(ContextResult):
    """The same, with what a person wants to know about it; `budget_used` is in per cent."""

    memory_ids: tuple[str, ...]
    ranking_scores: Mapping[str, float]
    budget_used: float
