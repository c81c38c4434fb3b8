"""What a caller passes to a context builder, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from biblicus_context import ContextAssemblyResult, InputError, Principal, Record


@dataclass(frozen=True, kw_only=True)
class Block:
    """A page, a paragraph, a to-do, a database or one of its rows."""

    id: str
    type: str
    content: str = ""
    title: str = ""  # of a page: a block without one shows that of the page it is in
    parent_id: str | None = None
    position: int | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)  # written below the content
    created_at: datetime | None = None
    last_modified: datetime | None = None  # by default when it is written

    @property
    def record(self) -> Record:
        """As a corpus keeps it."""
        lines = [f"{name}: {value}" for name, value in self.properties.items() if value is not None]
        return Record(
            id=self.id,
            kind=self.type,
            title=self.title,
            text="\n".join(filter(None, [self.content or self.title, *lines])),
            parent=self.parent_id,
            position=self.position,
            created=self.created_at,
            updated=self.last_modified or datetime.now(UTC),
            metadata=self.properties,
        )


@dataclass(frozen=True)
class User:
    """Who asks: nothing is found that this user may not read."""

    id: str
    workspace: str
    groups: frozenset[str] = frozenset()

    @property
    def principal(self) -> Principal:
        """As a store knows the user."""
        return Principal(self.workspace, user=self.id, groups=self.groups)


@dataclass(frozen=True, kw_only=True)
class Focus:
    """Where the user works, by id."""

    block_id: str | None = None
    page_id: str | None = None
    database_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class TokenBudget:
    """Tokens in all, and what each category is sure of; what it does not use flows to the others."""

    total: int = 4000
    focus: int = 1500
    semantic: int = 1200
    relations: int = 800
    activity: int = 300
    history: int = 500
    system: int = 200


@dataclass(frozen=True, kw_only=True)
class ContextHints:
    """Wishes of one request."""

    prioritize_types: Sequence[str] = ()
    time_range: Mapping[str, datetime] = field(default_factory=dict)  # of changes: from, before
    include_blocks: Sequence[str] = ()
    exclude_blocks: Sequence[str] = ()
    max_depth: int = 1  # levels of blocks below the focus


@dataclass(frozen=True, kw_only=True)
class ContextRequest:
    """One request: always of a user, with a query, and within a budget."""

    query: str
    user: User
    type: Literal["assist", "chat", "search", "automate"] = "assist"
    focus: Focus | None = None
    conversation_history: Sequence[Mapping[str, Any]] = ()  # messages: role and content
    token_budget: TokenBudget | None = None  # by default that of the configuration
    hints: ContextHints | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.user, User):
            raise InputError("a request has a user", place="user", found=self.user)
        if not isinstance(self.query, str) or not self.query.strip():
            raise InputError("a request has a query", place="query", found=self.query)


@dataclass(frozen=True, kw_only=True)
class ContextConfig:
    """What a builder changes of its plan, which has all defaults."""

    token_budget: TokenBudget = field(default_factory=TokenBudget)
    collectors: Mapping[str, bool | Mapping[str, Any]] = field(default_factory=dict)  # or settings
    weights: Mapping[str, float] = field(default_factory=dict)  # of the components of `rank`
    truncation: Literal["keep_start", "keep_end", "extractive", "summarize"] = "extractive"
    model: str = "gpt-4o"  # counts the tokens
    forbidden: Sequence[str] = ()  # words that `validate` reports


class ContextItem(NamedTuple):
    """A block, or a part of one, as it is placed."""

    block_id: str
    block_type: str
    content: str
    relevance: float = 1.0
    page_title: str = ""
    path: tuple[str, ...] = ()  # the titles of the pages around it, outermost first
    last_modified: datetime | None = None


class ContextSection(NamedTuple):
    """What a collector found; also `system` and `history`."""

    type: str
    title: str
    items: list[ContextItem]
    token_count: int


class ContextMetadata(NamedTuple):
    """How a payload came about."""

    total_tokens: int
    request: ContextRequest
    budget: TokenBudget
    timestamp: datetime
    collectors_used: tuple[str, ...]
    blocks_included: int
    blocks_considered: int


class ContextPayload(NamedTuple):
    """A context for a model: `result` has the messages to send and the receipt."""

    sections: list[ContextSection]
    metadata: ContextMetadata
    serialized: str
    result: ContextAssemblyResult


class ContextValidationResult(NamedTuple):
    """What is wrong with a payload now."""

    valid: bool
    problems: tuple[str, ...]
