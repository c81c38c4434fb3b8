"""Declared compactors: how a text is made to fit a number of tokens."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import Settings, Spec


class CompactorDeclaration(Spec):
    """A compactor under a name, for many policies to share."""

    name: str = Field(min_length=1, description="The name policies use.", examples=["careful"])
    config: Settings = Field(
        default_factory=dict,
        description="Settings: type, and those of that type.",
        examples=[{"type": "extractive"}],
    )
