"""What is learned, and what a search and a context are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

Axis: TypeAlias = Literal["full", "strategy", "surprise", "root_cause"]


class _Item(BaseModel):
    model_config = ConfigDict(frozen=True)

    created_at: AwareDatetime | None = None


class Memory(_Item):
    """A fact, a preference, a decision or an error message."""

    id: str
    content: str
    category: str = "fact"
    importance: float = Field(default=0.5, ge=0, le=1)


class Experience(_Item):
    """One attempt: goal, hypothesis, action and prediction, and what came of it."""

    id: str
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


class Value(_Item):
    """A principle that several experiences have in common."""

    id: str
    text: str
    axis: Axis = "full"
    cluster_id: str = ""
    cluster_size: int = 1
    similarity_to_centroid: float = 1.0
    experience_ids: tuple[str, ...] = ()


class CodeUnit(_Item):
    """A function, a class, a method, or another part of a file."""

    unit_type: str
    qualified_name: str
    file_path: str
    start_line: int
    end_line: int
    language: str = ""
    signature: str
    docstring: str = ""


class Commit(_Item):
    """A commit of a repository."""

    sha: str
    author: str
    message: str
    files_changed: tuple[str, ...] = ()
    insertions: int = 0
    deletions: int = 0


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
