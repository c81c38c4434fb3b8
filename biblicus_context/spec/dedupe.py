"""Which texts count as duplicates."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import StrictSpec


class DedupeSpec(StrictSpec):
    """Which texts count as duplicates."""

    near: float | None = Field(
        default=0.9,
        gt=0,
        le=1,
        description="Similarity from which texts count as duplicates; null: only equal texts do.",
    )


def _switch_or_settings(value: object) -> str:
    return "switch" if isinstance(value, bool) else "settings"


Dedupe = Annotated[
    Annotated[bool, Tag("switch")] | Annotated[DedupeSpec, Tag("settings")],
    Discriminator(_switch_or_settings),
]
"""Whether duplicates are dropped, or how similar texts must be."""


def dedupe_spec(dedupe: Dedupe | None, *, usual: DedupeSpec) -> DedupeSpec | None:
    """The settings for an author's choice; None keeps everything."""
    if isinstance(dedupe, DedupeSpec):
        return dedupe
    if dedupe is None:
        return usual
    return DedupeSpec() if dedupe else None


SAME_TEXT = DedupeSpec(near=None)
"""The default: records made from one template are similar but say different things."""
