"""How large the blocks of a corpus are."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from biblicus_context.spec.base import Spec


class ChunksSpec(Spec):
    """How large the blocks of a corpus are, in tokens."""

    tokens: int = Field(
        default=200,
        ge=1,
        le=100_000,
        description="A block of prose ends before it would have more tokens. A paragraph that "
        "cannot be divided may have twice as many.",
    )
    least: int | None = Field(
        default=None,
        ge=0,
        description="A smaller section shares a block with the next one; 0: none does. Default: a "
        "fifth of `tokens`.",
    )
    whole: int = Field(
        default=1024,
        ge=0,
        le=100_000,
        description="A record, a unit of code, and a file of one section stay one block up to this.",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.least is not None and self.least > self.tokens:
            raise ValueError(f"least ({self.least}) is larger than tokens ({self.tokens})")
        return self
