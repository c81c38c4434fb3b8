"""What goes into a prime context, and what comes out of it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from biblicus_context import Receipt
from biblicus_context.systems.citations import Citation

ItemType: TypeAlias = Literal["file", "chunk", "message", "reference"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ItemMetadata(_Model):
    """Where an item comes from, and why it was found."""

    path: str | None = None
    created_at: datetime | None = None
    matched_keywords: tuple[str, ...] = ()
    search_rank: float | None = None


class ContextItem(_Model):
    """One item of evidence; `usage` is how often it was useful."""

    id: str
    type: ItemType
    content: str
    source: str
    relevance: float = 0.0
    tokens: int = 0
    excerpt: str | None = None
    usage: int = 0
    metadata: ItemMetadata = ItemMetadata()

    @property
    def path(self) -> str | None:
        """The path of its file."""
        return self.metadata.path

    @property
    def citation_type(self) -> Literal["file", "document", "message"]:
        """Parts of files are cited as files."""
        return "message" if self.type == "message" else "file"


class ContextStats(_Model):
    """Files that the thread refers to, other files found, messages, and items left out."""

    explicit_count: int
    search_count: int
    history_count: int
    excluded_count: int


class PrimeContext(_Model):
    """The context of one message: `text` is what to send, `receipt` the account of every item."""

    total_tokens: int
    items: tuple[ContextItem, ...]
    citations: tuple[Citation, ...]
    stats: ContextStats
    text: str
    receipt: Receipt
