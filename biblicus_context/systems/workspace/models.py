"""What a caller passes to a context builder, and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final, Literal, NamedTuple, Self, TypeAlias

from pydantic import (
    AwareDatetime,
    Field,
    InstanceOf,
    NonNegativeInt,
    PositiveInt,
    field_validator,
)

import biblicus_context as engine
from biblicus_context.base import CheckedModel, NonBlankText, door, require_text
from biblicus_context.retrieval import Verdict
from biblicus_context.stores import Filters

RequestType: TypeAlias = Literal["assist", "chat", "search", "automate"]
Floor: TypeAlias = Annotated[float, Field(ge=0, le=1)] | Literal["auto"] | None
"""How similar the best of what is found has to be; None: as the plan says, which is `auto`."""
Collector: TypeAlias = Literal["focus", "semantic", "relations", "activity"]  # packs of the plan


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
    ai: bool | None = None  # False: no context has it, or what is inside it; None: as it was

    @property
    def record(self) -> engine.Record:
        """As a corpus keeps it."""
        lines = _property_lines(self.properties)
        metadata = self.properties if self.ai is None else {**self.properties, "ai": self.ai}
        return engine.Record(
            id=self.id,
            kind=self.type,
            title=self.title,
            text="\n".join(filter(None, [self.content or self.title, *lines])),
            parent=self.parent_id,
            position=self.position,
            created=self.created_at,
            updated=self.last_modified or datetime.now(UTC),
            metadata=metadata,
        )

    @classmethod
    @door
    def of_record(cls, record: engine.Record) -> Self:
        """The block that a record was made of."""
        own = {name: e for name, e in record.metadata.items() if name not in _OF_THE_TREE}
        title = "" if record.metadata.get("untitled") else record.title
        content = record.text.strip()
        lines = _property_lines(own)  # a store does not keep the order of the names
        while last := next((each for each in lines if content.endswith(each)), None):
            lines.remove(last)
            content = content.removesuffix(last).rstrip("\n")
        says = record.metadata.get("ai")
        return cls(
            id=record.id,
            type=record.kind,
            content="" if content == title else content,
            title=title,
            parent_id=record.parent,
            position=record.position,
            properties=own,
            created_at=record.created,
            last_modified=record.updated,
            ai=says if isinstance(says, bool) else None,
        )


_OF_THE_TREE: Final = frozenset({"ai", "withheld", "untitled"})
"""Metadata that is not a property of a block."""


def _property_lines(properties: Mapping[str, Any]) -> list[str]:
    known = ((name, each) for name, each in properties.items() if each is not None)
    return [f"{name}: {each}" for name, each in known if name != "ai"]


class BlockPage(NamedTuple):
    """Some of the blocks of a workspace."""

    items: Sequence[Block]
    next: str | None
    """What to pass as `after` for the next page; None: there is none."""


@dataclass(frozen=True)
class User:
    """Who asks: nothing is found that this user may not read."""

    id: str
    workspace: str
    groups: frozenset[str] = frozenset()

    @property
    def principal(self) -> engine.Principal:
        """As a store knows the user."""
        require_text(**{"user.id": self.id})  # None would be everybody
        return engine.Principal(self.workspace, user=self.id, groups=self.groups)


class Focus(CheckedModel):
    """Where the user works, by id."""

    block_id: str | None = None
    page_id: str | None = None
    database_id: str | None = None


class TokenBudget(CheckedModel):
    """Tokens in all, and what each category is guaranteed; what it does not use flows to the others."""

    total: int = Field(default=4000, gt=0)
    focus: NonNegativeInt = 1500
    semantic: NonNegativeInt = 1200
    relations: NonNegativeInt = 800
    activity: NonNegativeInt = 300
    history: NonNegativeInt = 500
    system: NonNegativeInt = 200


class ContextHints(CheckedModel):
    """Wishes of one request."""

    prioritize_types: Sequence[str] = ()
    time_range: Mapping[Literal["start", "end"], AwareDatetime] = {}  # of the last change
    include_blocks: Sequence[str] = ()
    exclude_blocks: Sequence[str] = ()
    max_depth: int = Field(default=1, ge=0, le=50)  # levels of blocks below the focus
    types: Sequence[str] = ()  # only blocks of these types that meet `properties`
    properties: Mapping[str, Any] | None = (
        None  # conditions, as filters on metadata; None: of the query
    )

    @field_validator("properties")
    @classmethod
    def _are_conditions(cls, given: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """A mistake is found where it is made; days are compared as they are written."""
        if given is None:
            return None
        written = {name: _written(each) for name, each in given.items()}
        Filters.parse({"metadata": written}, place="properties")
        return written


def _written(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _written(each) for name, each in value.items()}
    return value.isoformat() if isinstance(value, date) else value


class Preferences(CheckedModel):
    """What a user wants of every answer."""

    language: str = ""  # such as German; empty: that of the query
    tone: str = ""  # such as short and friendly
    pinned: Sequence[str] = ()  # blocks that belong into every context


class ContextRequest(CheckedModel):
    """One request: always of a user, with a query, and within a budget."""

    query: NonBlankText
    user: InstanceOf[User]  # never read from a mapping: the program decides who asks
    type: RequestType = "assist"
    focus: Focus | None = None
    conversation_history: Sequence[Mapping[str, Any]] = ()  # messages: role and content
    token_budget: TokenBudget | None = None  # by default that of the configuration
    hints: ContextHints | None = None
    preferences: Preferences | None = None
    floor: Floor = None


class ContextConfig(CheckedModel):
    """What a builder changes of its plan, which has all defaults."""

    token_budget: TokenBudget = TokenBudget()
    collectors: Mapping[Collector, bool | Mapping[str, Any]] = {}  # on, off, or settings
    weights: Mapping[str, float] = {}  # of the components of `rank`
    truncation: Literal["keep_start", "keep_end", "extractive", "summarize"] = "extractive"
    min_content_length: PositiveInt = 50  # characters from which a block may be shortened
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
    documents: tuple[str, ...] = ()  # it, blocks whose lines are in it, and pages that are named


class ContextSection(NamedTuple):
    """What a collector found; also `system` and `history`."""

    type: str
    title: str
    items: list[ContextItem]
    token_count: int


class ContextMetadata(NamedTuple):
    """How a payload came about; `request.focus` is what it is about."""

    total_tokens: int
    request: ContextRequest
    budget: TokenBudget
    timestamp: datetime
    collectors_used: tuple[str, ...]
    blocks_included: int
    blocks_considered: int
    unknown: tuple[str, ...] = ()  # what the request names, by field, and its user cannot read


class ContextPayload(NamedTuple):
    """A context for a model: `result` has the messages to send and the receipt."""

    sections: list[ContextSection]
    metadata: ContextMetadata
    serialized: str
    result: engine.ContextAssemblyResult

    @property
    def verdict(self) -> Verdict | None:
        """Whether what the query found is relevant: `found`, `weak` or `nothing`."""
        return self.result.receipt.verdict

    def __repr__(self) -> str:
        items = ((each.type, len(each.items)) for each in self.sections if each.title)
        found = ", ".join(f"{count} {name}" for name, count in items if count)
        unknown = f", unknown={[*self.metadata.unknown]}" if self.metadata.unknown else ""
        budget = self.metadata.budget.total
        tokens = f"{self.metadata.total_tokens} of {budget} tokens"
        return f"<ContextPayload: {found or 'nothing'}, {tokens}{unknown}>"


class ContextValidationResult(NamedTuple):
    """What is wrong with a payload now."""

    valid: bool
    problems: tuple[str, ...]
