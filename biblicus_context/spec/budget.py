"""How many tokens there are: for the whole input, for packs, and kept back for the answer."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from biblicus_context.spec.base import Spec


class ContextBudgetSpec(Spec):
    """A number of tokens, absolute or relative; when both are given the smaller counts."""

    ratio: float | None = Field(
        default=None, ge=0, description="Part of what this budget is taken from.", examples=[0.5]
    )
    max_tokens: int | None = Field(
        default=None, ge=1, description="Tokens at most.", examples=[8000]
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.ratio is None and self.max_tokens is None:
            raise ValueError("Budget must specify ratio or max_tokens")
        return self


class ContextPackBudgetSpec(Spec):
    """What all packs of one context may use together."""

    default_ratio: float | None = Field(
        default=None, ge=0, description="Part of the input budget.", examples=[0.5]
    )
    default_max_tokens: int | None = Field(
        default=None, ge=1, description="Tokens for all packs together.", examples=[4000]
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.default_ratio is None and self.default_max_tokens is None:
            raise ValueError("Pack budget must specify default_ratio or default_max_tokens")
        return self


class ReserveSpec(Spec):
    """What is taken off the model's window before the input budget is worked out."""

    output_tokens: int = Field(
        default=0, ge=0, description="Tokens kept free for the model's answer.", examples=[1000]
    )
