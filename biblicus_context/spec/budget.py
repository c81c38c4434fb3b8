"""Token budgets: for the whole input, for packs, and reserved for the answer."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from biblicus_context.spec.base import Spec


class ContextBudgetSpec(Spec):
    """A number of tokens, absolute or relative; if both are given, the smaller one applies."""

    ratio: float | None = Field(
        default=None,
        ge=0,
        description="Part of the larger budget that this one belongs to.",
        examples=[0.5],
    )
    max_tokens: int | None = Field(
        default=None, ge=1, description="Maximum number of tokens.", examples=[8000]
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.ratio is None and self.max_tokens is None:
            raise ValueError("Budget must specify ratio or max_tokens")
        return self


class PackShareSpec(ContextBudgetSpec):
    """The limits of one pack's share."""

    min_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Tokens that the pack is guaranteed before other packs get more.",
        examples=[500],
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.ratio is None and self.max_tokens is None and self.min_tokens is None:
            raise ValueError("Budget must specify ratio or max_tokens (or min_tokens)")
        return self

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        least, most = self.min_tokens, self.max_tokens
        if least is not None and most is not None and least > most:
            raise ValueError(f"min_tokens ({least}) is larger than max_tokens ({most})")
        return self


class HistoryBudgetSpec(PackShareSpec):
    """The limits of the history."""

    min_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Tokens that the newest turns are guaranteed: packs give way to them.",
        examples=[500],
    )


class ContextPackBudgetSpec(Spec):
    """The total for all packs of one context."""

    default_ratio: float | None = Field(
        default=None, ge=0, description="Part of the input budget.", examples=[0.5]
    )
    default_max_tokens: int | None = Field(
        default=None, ge=1, description="Maximum tokens for all packs together.", examples=[4000]
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.default_ratio is None and self.default_max_tokens is None:
            raise ValueError("Pack budget must specify default_ratio or default_max_tokens")
        return self


class ReserveSpec(Spec):
    """Tokens subtracted from the model's window before the input budget is computed."""

    output_tokens: int = Field(
        default=0, ge=0, description="Tokens reserved for the model's answer.", examples=[1000]
    )
