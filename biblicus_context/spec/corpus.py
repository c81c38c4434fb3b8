"""A declared corpus: the source of evidence."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import Name, Settings, Spec


class CorpusDeclaration(Spec):
    """A corpus and its settings."""

    name: Name = Field(description="The name that retrievers use.", examples=["handbook"])
    config: Settings = Field(
        default_factory=dict, description="Settings, such as root.", examples=[{"root": "handbook"}]
    )
