"""What is learned, and what a search and a context are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pydantic import Field

from biblicus_context import CodeUnit, Commit
from biblicus_context.systems.typed_records import Identified

Axis: TypeAlias = Literal["full", "strategy", "surprise", "root_cause"]


class Memory(Identified):
    """A fact, a preference, a decision or an error message."""

    content: str
    category: str = "fact"
    importance: float = Field(default=0.5, ge=0, le=1)


class Experience(Identified):
    """One attempt: goal, hypothesis, action and prediction, and what came of it."""

    domain: str
    strategy: str
    goal: str
    hypothesis: str
    action: str
    prediction: str
    outcome_status: str = Field(examples=["confirmed", "falsified", "abandoned"])
    outcome_result: str
    surprise: str = ""
    root_cause: str = ""
    lesson: str = Field(default="", description="What worked.")
    confidence_tier: Literal["gold", "silver", "bronze", "abandoned"] = "silver"
    iteration_count: int = 1


class Value(Identified):
    """A principle that several experiences have in common."""

    text: str
    axis: Axis = "full"
    cluster_id: str = ""
    cluster_size: int = 1
    similarity_to_centroid: float = 1.0
    experience_ids: tuple[str, ...] = ()


Item: TypeAlias = Memory | Experience | Value | CodeUnit | Commit


@dataclass(frozen=True, slots=True)
class Hit:
    """Something that a search found, and how relevant it is, from 0 to 1."""

    item: Item
    relevance: float


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One item of a context: from a memory, code, an experience, a value or a commit."""

    source: str
    content: str
    relevance: float
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FormattedContext:
    """A context as Markdown; `limit_exceeded` is possible with `soft=True` only."""

    markdown: str
    items: tuple[ContextItem, ...]
    token_count: int
    sources_used: Mapping[str, int] = field(default_factory=dict)
    limit_exceeded: bool = False
