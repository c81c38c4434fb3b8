"""What is shown of each hit: blocks around it, an excerpt, and how its text is written."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from biblicus_context.spec.base import StrictSpec

Mark = Annotated[str, Field(max_length=20)]


class NeighboursSpec(StrictSpec):
    """How many blocks are read before and after a hit."""

    blocks: int = Field(default=0, ge=0, le=50, description="Number of blocks of prose or code.")
    turns: int = Field(default=0, ge=0, le=50, description="Number of turns of conversations.")


class EvidenceFormatSpec(StrictSpec):
    """How the text of a block is written."""

    speakers: bool = Field(default=False, description="Write the speaker before each turn.")
    sessions: bool = Field(
        default=False,
        description="Write the name and day of the session above its turns, with `ordering: reading`.",
    )
    escape_headings: bool = Field(
        default=False,
        description="Write a backslash before lines that Markdown reads as headings, rules or fences of "
        "code, that begin a comment or a script of HTML, that begin with bold words, or that are nothing "
        "but emphasised words or brackets, so that no block adds a section or an item to a text that has "
        "such, or hides what follows.",
    )


class ExcerptSpec(StrictSpec):
    """The part of each block around the words of the query."""

    tokens: int = Field(
        default=60, ge=16, le=100_000, description="Number of tokens of one excerpt at most."
    )
    marks: tuple[Mark, Mark] | None = Field(
        default=None,
        strict=False,  # files have lists
        description="Text before and after each word of the query.",
        examples=[["<<<", ">>>"]],
    )


def _reach(value: object) -> object:
    """One number stands for blocks and turns alike."""
    return {"blocks": value, "turns": value} if type(value) is int else value


Neighbours = Annotated[NeighboursSpec, BeforeValidator(_reach)]
"""One number, or one for prose and one for turns."""
