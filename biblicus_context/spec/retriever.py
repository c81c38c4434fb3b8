"""A declared retriever: a named way to search a corpus."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict, Field

from biblicus_context.spec.base import Name, Settings, Spec
from biblicus_context.spec.choosing import RequestSpec

COMBINED: Final = "combined"
"""The `retriever_id` of a combined retriever."""
SQL: Final = "sql"
"""The `retriever_id` of a retriever over a table of a database."""
QDRANT: Final = "qdrant"
"""The `retriever_id` of a retriever over a collection of a Qdrant server."""
MCP: Final = "mcp"
"""The `retriever_id` of a retriever that calls a tool of an MCP server."""
WITHOUT_CORPUS: Final = frozenset({SQL, QDRANT, MCP})
"""The `retriever_id`s of this package that search no corpus, and ask what people already have."""
OF_SOURCES: Final = frozenset(
    {"name", "weight", "limit", "on_error", "timeout_seconds", "guarantee"}
)
"""The options of a source; everything else next to a `retriever_id` is a setting of that retriever."""
PASSED_ON: Final = ("corpus", "filters", "format")
"""In files, settings that a combined retriever passes on to its sources."""
TEMPLATE_SETTINGS: Final = ("filters", "rank", "documents", "blocks", "from", "depth")
"""Settings in which placeholders such as `{input.folder}` are filled for each call."""


class RetrieverSettings(RequestSpec):
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
    offset: int = Field(default=0, ge=0, description="Number of blocks to skip.")


class RetrieverDeclaration(Spec):
    """A retriever and its settings."""

    name: Name = Field(description="The name that plans use.", examples=["kb_search"])
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
