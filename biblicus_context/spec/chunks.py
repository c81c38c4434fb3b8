"""How large the blocks of a corpus are."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.spec.base import Spec


class ChunksSpec(Spec):
    """How large the blocks of a corpus are, in tokens."""

    tokens: int = Field(
        default=200,
        ge=1,
        le=100_000,
        description="A block of prose ends before it would have more tokens. A paragraph that "
        "cannot be divided may have twice as many; a section below a fifth shares a block.",
    )
    whole: int = Field(
        default=512,
        ge=0,
        le=100_000,
        description="A record, a unit of code, and a file of one section stay one block up to this.",
    )
