"""Memories, the options of a call, and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SkipValidation, model_validator

from biblicus_context import Record
from biblicus_context.base import door
from biblicus_context.corpora import RecordModel
from biblicus_context.retrieval import Relevance, Verdict
from biblicus_context.spec import FormatSpec, NameList
from biblicus_context.stores import Relation


class OptionsModel(BaseModel):
    """Base of frozen models of options; one that is None has its default.

    >>> class Paging(OptionsModel): limit: int = 10
    >>> Paging(limit=None).limit
    10
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _without_none(cls, given: Any) -> Any:
        """A caller that passes its own arguments on has None where it was not told anything."""
        if isinstance(given, Mapping):
            return {name: value for name, value in given.items() if value is not None}
        return given


Relationship: TypeAlias = Relation  # a typed arrow: source, target, type, weight


class Memory(RecordModel):
    """One thing to remember; its aliases are the names of a `Record`."""

    id: str
    content: Annotated[str, Field(alias="text")]
    type: Annotated[str, Field(alias="kind")] = "memory"
    confidence: float | None = Field(default=None, ge=0, le=1)
    importance: float | None = Field(default=None, ge=0, le=1)
    created_at: Annotated[AwareDatetime | None, Field(alias="created")] = None
    updated_at: Annotated[AwareDatetime | None, Field(alias="updated")] = None
    conversation_id: Annotated[str | None, Field(alias="conversation")] = None
    source: Annotated[str | None, Field(alias="uri")] = None
    superseded_by: str | None = None
    valid_from: AwareDatetime | None = None
    valid_to: AwareDatetime | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = Field(default_factory=dict)


class SearchOptions(OptionsModel):
    """Which memories are searched, and in what order they come."""

    limit: int = Field(default=10, ge=1, le=1000)
    memory_types: NameList = ()
    date_from: AwareDatetime | None = None
    date_to: AwareDatetime | None = None
    min_confidence: float | None = Field(default=None, ge=0, le=1)
    conversation_id: str | None = Field(default=None, min_length=1)
    tags: NameList = ()
    metadata: Mapping[str, Any] = Field(default_factory=dict)
    """Values of the metadata, as the filters of a retriever take them."""
    as_of: AwareDatetime | None = None
    """What was known and held at this time; None: now."""
    floor: Annotated[float, Field(ge=0, le=1)] | Literal["auto"] | None = None
    """How similar the best memory has to be for anything to be found; 0: it need not be. None: as in the plan."""
    history: SkipValidation[Sequence[Any]] = ()
    """The conversation so far, in the form of any client: a follow-up is understood by its last question."""
    include_relationships: bool = False
    relationship_depth: int = Field(default=1, ge=1, le=5)
    ranker: SkipValidation[str | Callable[..., Any]] = "default"


class ContextTemplate(FormatSpec, populate_by_name=True):
    """How a context is written: a format under the names of the design."""

    name: str = "custom"
    item: str = Field(default="{{content}}", alias="memory_format")
    separator: str = "\n"
    include_metadata: bool = False


class ContextOptions(SearchOptions):
    """The same, and how they are written; without a `limit` they fill the budget."""

    template: SkipValidation[str | ContextTemplate | None] = None
    token_budget: int | None = Field(default=None, ge=1)
    include_metadata: bool = False
    include_dates: bool = False
    """Write the date of each memory before it, unless the template has one."""


class MemoryQuery(ContextOptions):
    """What is searched: a text or a vector, and for a context no more than its `token_budget` holds."""

    text: str = ""
    vector: tuple[float, ...] | None = None
    fills_budget: bool = False
    settings: Mapping[str, Any] = {}
    """Those of the retriever `recall` of the plan; only a corpus of this package uses them."""


@dataclass(frozen=True, slots=True)
class RelatedMemory:
    """A memory that relations lead to."""

    memory: Memory
    relationship: Relationship
    depth: int = 1


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A memory: how similar it is, what it was ordered by, and what was found of a long one."""

    memory: Memory
    score: float
    rank: float | None = None
    relationships: tuple[RelatedMemory, ...] = ()
    excerpt: str = ""

    def as_record(self) -> Record:
        """What is written; what is left out of a long memory has a mark."""
        if not self.excerpt:
            return self.memory.as_record()
        whole, part = self.memory.content, self.excerpt.strip()
        before = "" if whole.lstrip().startswith(part) else "… "
        after = "" if whole.rstrip().endswith(part) else " …"
        return self.memory.as_record(text=f"{before}{part}{after}")


@door
class FoundMemories(list[SearchResult]):
    """The results of a search, and whether any of them is relevant, where that was decided."""

    relevance: Relevance | None = None

    @property
    def verdict(self) -> Verdict:
        """`found`, `weak`, or `nothing` where nothing is relevant."""
        if self.relevance is not None:
            return self.relevance.verdict
        return "found" if self else "nothing"

    @classmethod
    def of(cls, results: Iterable[SearchResult], relevance: Relevance | None = None) -> Self:
        """The results with a decision."""
        made = cls(results)
        made.relevance = relevance
        return made


@dataclass(frozen=True, slots=True)
class ContextResult:
    """A context, the memories in it, and whether the budget shortened one or left one out."""

    context: str
    token_count: int
    memories: tuple[SearchResult, ...]
    truncated: bool
    template: str
    estimated: bool
    verdict: Verdict = "found"
    """`found`, `weak`, or `nothing`: then nothing is written."""
    because: str = ""
    """Where nothing is relevant: the figures, and the words that are missing."""


@dataclass(frozen=True, slots=True)
class ContextPreview(ContextResult):
    """The same, with what a person wants to know about it; `budget_used` is in per cent."""

    memory_ids: tuple[str, ...] = ()
    ranking_scores: Mapping[str, float] = field(default_factory=dict)
    budget_used: float = 0.0
