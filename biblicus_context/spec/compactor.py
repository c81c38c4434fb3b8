"""Declared compactors: how a text is made to fit a number of tokens."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import Name, Settings, Spec


class CompactorDeclaration(Spec):
    """A named compactor that several policies can share."""

    name: Name = Field(description="The name that policies use.", examples=["careful"])
    config: Settings = Field(
        default_factory=dict,
        description="The type, and the settings of this type.",
        examples=[{"type": "extractive"}],
    )
