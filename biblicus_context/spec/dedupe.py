"""Which texts count as duplicates."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import BeforeValidator, Discriminator, Field, Tag

from biblicus_context.spec.base import StrictSpec


class DedupeSpec(StrictSpec):
    """Which texts count as duplicates."""

    near: float | None = Field(
        default=0.9,
        gt=0,
        le=1,
        description="Similarity from which texts count as duplicates, whatever their case; those that "
        "differ in a number or a negation never do. null: only equal texts do.",
    )


def _listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class PackDedupeSpec(DedupeSpec):
    """Which blocks of different packs count as duplicates."""

    fields: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default_factory=tuple,
        description="Metadata fields: blocks of different packs are duplicates as well if they have "
        "a value of one of these fields in common.",
        examples=[["path"]],
    )
    by: str | None = Field(
        default=None,
        min_length=1,
        description="Metadata field with a number: the duplicate with the higher one stays. "
        "Default: the one that is better in its own pack.",
        examples=["relevance"],
    )


def _switch_or_settings(value: object) -> str:
    return "<switch>" if isinstance(value, bool) else "<settings>"


Dedupe = Annotated[
    Annotated[bool, Tag("<switch>")] | Annotated[DedupeSpec, Tag("<settings>")],
    Discriminator(_switch_or_settings),
]
"""Whether duplicates are dropped, or how similar texts must be."""


PackDedupe = Annotated[
    Annotated[bool, Tag("<switch>")] | Annotated[PackDedupeSpec, Tag("<settings>")],
    Discriminator(_switch_or_settings),
]
"""The same for the packs of a context."""

D = TypeVar("D", bound=DedupeSpec)


def dedupe_spec(dedupe: bool | D | None, *, usual: D) -> D | None:  # noqa: FBT001 - as authors write it
    """The settings for an author's choice; None keeps everything."""
    if isinstance(dedupe, DedupeSpec):
        return dedupe
    if dedupe is None:
        return usual
    return type(usual)() if dedupe else None


# Constructed without validation, as a validator takes longer to build than the rest of the module to load.
SAME_TEXT = DedupeSpec.model_construct(near=None)
SAME_TEXT_IN_PACKS = PackDedupeSpec.model_construct(near=None)
"""The default: records made from one template are similar but say different things."""
