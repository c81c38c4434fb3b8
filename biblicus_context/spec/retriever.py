"""A declared retriever: a named way to search a corpus."""

from __future__ import annotations

from typing import Final

from pydantic import ConfigDict, Field

from biblicus_context.spec.base import Name, Settings, Spec
from biblicus_context.spec.choosing import RequestSpec

COMBINED: Final = "combined"
"""The `retriever_id` of a combined retriever."""


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
