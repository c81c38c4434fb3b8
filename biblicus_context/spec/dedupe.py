"""What counts as saying the same."""

from __future__ import annotations

from typing import Annotated

from pydantic import Discriminator, Field, Tag

from biblicus_context.spec.base import StrictSpec


class DedupeSpec(StrictSpec):
    """What counts as saying the same."""

    near: float | None = Field(
        default=0.9,
        gt=0,
        le=1,
        description="Texts so alike are twins; null: only the same text is.",
    )


def _switch_or_settings(value: object) -> str:
    return "switch" if isinstance(value, bool) else "settings"


Dedupe = Annotated[
    Annotated[bool, Tag("switch")] | Annotated[DedupeSpec, Tag("settings")],
    Discriminator(_switch_or_settings),
]
"""Whether one of several texts that say the same is enough, or how alike they have to be."""


def dedupe_spec(dedupe: Dedupe | None, *, usual: DedupeSpec) -> DedupeSpec | None:
    """What an author's choice comes to; None: everything stays."""
    if isinstance(dedupe, DedupeSpec):
        return dedupe
    if dedupe is None:
        return usual
    return DedupeSpec() if dedupe else None


SAME_TEXT = DedupeSpec(near=None)
"""The usual choice: records made by one template are alike, and yet say different things."""
