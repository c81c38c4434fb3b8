"""A declared retriever: a named way to search a corpus."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import Settings, Spec


class RetrieverDeclaration(Spec):
    """A retriever and its settings."""

    name: str = Field(min_length=1, description="The name that plans use.", examples=["kb_search"])
    corpus: str | None = Field(default=None, description="Corpus to search.")
    config: Settings = Field(
        default_factory=dict,
        description="Settings: retriever_id, query, limit, offset, and those of the retriever.",
        examples=[{"retriever_id": "hybrid", "query": "{input.question}", "limit": 5}],
    )
