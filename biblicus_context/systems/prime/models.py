"""What goes into a prime context, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from biblicus_context import Receipt

Name = Annotated[str, Field(min_length=1, max_length=400)]
ItemType = Literal["file", "chunk", "message", "reference"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class File(_Model):
    """A file of one user."""

    id: Name
    path: Name
    content: str
    owner_user_id: Name
    created_at: AwareDatetime | None = None
    updated_at: AwareDatetime | None = None
    metadata: Mapping[str, Any] = Field(default_factory=dict)


class Message(_Model):
    """A message of a thread; without a time it is of now."""

    role: Name
    content: str
    id: Name | None = None
    created_at: AwareDatetime | None = None


class SearchResult(_Model):
    """A part of a file that a search found."""

    id: Name
    path: str
    content: str
    rank: float = 0.0
    excerpt: str | None = None
    created_at: AwareDatetime | None = None


class ItemMetadata(_Model):
    """Where an item comes from, and why it was found."""

    path: str | None = None
    created_at: datetime | None = None
    matched_keywords: Sequence[str] = ()
    search_rank: float | None = None


class ContextItem(_Model):
    """One item of evidence."""

    id: str
    type: ItemType
    content: str
    source: str
    relevance: float = 0.0
    tokens: int = 0
    excerpt: str | None = None
    usage: int = 0
    """How often it was useful before."""
    metadata: ItemMetadata = ItemMetadata()


class Citation(_Model):
    """What an answer names an item by."""

    id: str
    source: str
    type: Literal["file", "document", "message"]
    path: str | None = None
    excerpt: str | None = None
    relevance: float
    used_in_response: bool = False


class ContextStats(_Model):
    """What was retrieved."""

    explicit_count: int
    """Files that the thread refers to."""
    search_count: int
    """Other files that the searches found."""
    history_count: int
    """Messages of the thread."""
    excluded_count: int
    """Items that were retrieved and are not in the context."""


class ContextMetrics(_Model):
    """What one build cost; times are in seconds."""

    assembly_time: float
    items_retrieved: int
    items_selected: int
    token_usage: int
    cache_hit_rate: float
    """Of all builds of the service so far."""
    search_latency: float
    scoring_latency: float
    optimization_latency: float


class PrimeContext(_Model):
    """The context of one message of a user."""

    total_tokens: int
    items: tuple[ContextItem, ...]
    citations: tuple[Citation, ...]
    stats: ContextStats
    text: str
    """What to send: every item after its citation id."""
    receipt: Receipt
    """The account of every item, also of those that are not in the context."""
