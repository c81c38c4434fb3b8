"""What is learned, and what a search and a context are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

Axis: TypeAlias = Literal["full", "strategy", "surprise", "root_cause"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    created_at: AwareDatetime | None = None


class Memory(_Model):
    """A fact, a preference, a decision or an error message."""

    id: str
    content: str
    category: str = "fact"
    importance: float = Field(default=0.5, ge=0, le=1)


class Experience(_Model):
    """One attempt: goal, hypothesis, action and prediction, and what came of it."""

    id: str
    domain: str
    strategy: str
    goal: str
    hypothesis: str
    action: str
    prediction: str
    outcome_status: str
    """`confirmed`, `falsified` or `abandoned`."""
    outcome_result: str
    surprise: str = ""
    root_cause: str = ""
    lesson: str = ""
    """What worked."""
    confidence_tier: Literal["gold", "silver", "bronze", "abandoned"] = "silver"
    iteration_count: int = Field(default=1, ge=0)


class Value(_Model):
    """A principle that several experiences have in common."""

    id: str
    text: str
    axis: Axis = "full"
    cluster_id: str = ""
    cluster_size: int = Field(default=1, ge=0)
    similarity_to_centroid: float = 1.0
    experience_ids: tuple[str, ...] = ()


class CodeUnit(_Model):
    """A function, a class, a method, or another part of a file."""

    unit_type: str
    qualified_name: str
    file_path: str
    start_line: int
    end_line: int
    language: str = ""
    signature: str
    docstring: str = ""

    @property
    def id(self) -> str:
        """Its place."""
        return f"{self.file_path}:{self.start_line}"


class Commit(_Model):
    """A commit of a repository."""

    sha: str
    author: str
    message: str
    files_changed: tuple[str, ...] = ()
    insertions: int = 0
    deletions: int = 0

    @property
    def id(self) -> str:
        """Its id in the repository."""
        return self.sha


T = TypeVar("T", covariant=True)
Item: TypeAlias = Memory | CodeUnit | Experience | Value | Commit


@dataclass(frozen=True, slots=True)
class Hit(Generic[T]):
    """Something that a search found."""

    item: T
    relevance: float
    """From 0 to 1."""


@dataclass(frozen=True, slots=True)
class ContextItem:
    """One item of a context."""

    source: str
    """memory, code, experience, value or commit."""
    content: str
    """As it is written."""
    relevance: float
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FormattedContext:
    """A context as Markdown, and what is in it."""

    markdown: str = ""
    items: tuple[ContextItem, ...] = ()
    token_count: int = 0
    """Exact."""
    sources_used: Mapping[str, int] = field(default_factory=dict)
    limit_exceeded: bool = False
    """Whether it has more than `max_tokens`: only with `soft=True`."""
