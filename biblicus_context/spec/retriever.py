"""A declared retriever: a named way to search a corpus."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from biblicus_context.spec.base import Settings, Spec, StrictSpec
from biblicus_context.spec.query import QueryReference


class RetrieverSettings(StrictSpec):
    """The settings that the engine itself reads; all others pass through to the retriever."""

    model_config = ConfigDict(extra="allow")

    retriever_id: str | None = Field(
        default=None,
        description="Kind of retriever.",
        examples=[
            "hybrid",
            "keyword",
            "vector",
            "fuzzy",
            "recent",
            "explicit",
            "related",
            "combined",
        ],
    )
    query: QueryReference | None = Field(
        default=None,
        description="Query: text with placeholders and Jinja2, or {template: ..., follow_up: true}. "
        "Default: input.query, else the user message.",
        examples=["{input.question}", {"follow_up": True}],
    )
    limit: int | None = Field(
        default=None,
        ge=1,
        description="Number of blocks in one request at most; absent: the blocks that fill the "
        "share for a retriever over a corpus, 3 for any other and without a budget.",
    )
    offset: int = Field(default=0, ge=0, description="Number of blocks to skip.")
    maximum_total_characters: int | None = Field(
        default=None, ge=1, description="Maximum number of characters."
    )
    join_with: str = Field(default="\n\n", description="Text between two blocks.")


class RetrieverDeclaration(Spec):
    """A retriever and its settings."""

    name: str = Field(min_length=1, description="The name that plans use.", examples=["kb_search"])
    like: str | None = Field(
        default=None,
        min_length=1,
        description="Another retriever of the same file: its corpus and each setting of its config, "
        "except those that are set here.",
        examples=["kb_search"],
    )
    corpus: str | None = Field(default=None, description="Corpus to search.")
    config: Settings = Field(
        default_factory=dict,
        description="Settings: retriever_id, query, limit, offset, and those of the retriever.",
        examples=[{"retriever_id": "hybrid", "query": "{input.question}", "limit": 5}],
    )
