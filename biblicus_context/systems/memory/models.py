"""Memories, and how they are searched and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from biblicus_context import FormatSpec, Record


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_by_name=True)


class Memory(_Model, from_attributes=True):
    """One thing to remember; its aliases are the names of a `Record`."""

    id: str
    content: str = Field(alias="text")
    type: str = Field(default="memory", alias="kind")
    confidence: float | None = Field(default=None, ge=0, le=1)
    importance: float | None = Field(default=None, ge=0, le=1)
    created_at: AwareDatetime | None = Field(default=None, alias="created")
    updated_at: AwareDatetime | None = Field(default=None, alias="updated")
    conversation_id: str | None = Field(default=None, alias="conversation")
    source: str | None = Field(default=None, alias="uri")
    superseded_by: str | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = Field(default_factory=dict)

    def as_record(self, **changes: Any) -> Record:
        """The record that is written; a memory without a time is of now."""
        known = self.model_dump(by_alias=True, exclude_none=True)
        return Record(**{"created": datetime.now(UTC), **known, **changes})


class SearchOptions(_Model):
    """Which memories are searched, and in what order they come."""

    limit: int = Field(default=10, ge=1, le=1000)
    memory_types: tuple[str, ...] = ()
    date_from: AwareDatetime | None = None
    date_to: AwareDatetime | None = None
    min_confidence: float | None = Field(default=None, ge=0, le=1)
    conversation_id: str | None = None
    include_relationships: bool = False
    relationship_depth: int = Field(default=1, ge=1, le=5)
    ranker: str | Callable[..., Any] = "default"


class ContextOptions(SearchOptions):
    """The same, and how they are written; without a `limit` they fill the budget."""

    template: str | None = None
    token_budget: int | None = Field(default=None, ge=1)
    include_metadata: bool = False


class ContextTemplate(_Model):
    """How a context is written; `{{content}}` and its like are filled for each memory."""

    name: str
    memory_format: str
    header: str | None = None
    separator: str = "\n"
    footer: str | None = None
    include_metadata: bool = False

    def as_format(self) -> FormatSpec:
        """The same as a format of a plan, where the type of a memory is called its kind."""
        item = re.sub(r"\{\{\s*type\s*\}\}", "{{kind}}", self.memory_format)
        texts = self.model_dump(include={"header", "separator", "footer"})
        return FormatSpec(item=item, metadata=self.include_metadata, **texts)
