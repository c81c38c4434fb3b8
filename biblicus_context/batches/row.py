"""One row of a batch: what a call of the assembler takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from biblicus_context.assembly.arguments import AssembleOptions
from biblicus_context.base.validation import input_error
from biblicus_context.errors import InputError


def _from_json(value: object) -> object:
    """Tables hold values of many shapes as texts of JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise ValueError("a text here must be JSON") from None


class BatchRow(BaseModel):
    """What differs from call to call; a row may leave out everything but what the context needs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str | int | None = Field(default=None, description="Yours: the result has it too.")
    inputs: Annotated[dict[str, Any], BeforeValidator(_from_json)] = Field(
        default_factory=dict, description="Inputs of the context, by name."
    )
    history: Annotated[list[dict[str, Any]], BeforeValidator(_from_json)] = Field(
        default_factory=list, description="The messages so far, oldest first."
    )
    user: str | None = Field(default=None, description="User message, for a plan without one.")
    system: str = Field(default="", description="Base system prompt, for a plan that places it.")
    tools: Annotated[list[dict[str, Any]], BeforeValidator(_from_json)] = Field(
        default_factory=list, description="Tool definitions that are sent with the messages."
    )
    model: str | None = Field(default=None, description="Model; overrides the policy.")
    budget: int | None = Field(
        default=None, ge=1, description="Input budget in tokens; overrides the policy."
    )
    now: datetime | None = Field(
        default=None, description="The moment that relative times are measured from."
    )

    def options(self, now: datetime) -> AssembleOptions:
        """The options of the call; `now` is that of the batch, for a row without its own."""
        found: AssembleOptions = {
            "inputs": self.inputs,
            "history": self.history,
            "tools": self.tools,
            "now": self.now or now,
        }
        if self.model is not None:
            found["model"] = self.model
        if self.budget is not None:
            found["budget"] = self.budget
        return found


def row_of(value: object) -> BatchRow:
    """The row that these values are, or that this line of JSON holds."""
    if isinstance(value, bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not a line of JSON: {error}") from None
    if not isinstance(value, Mapping):
        raise InputError("a row is a mapping", found=type(value).__name__)
    try:
        return BatchRow.model_validate(value)
    except ValidationError as error:
        raise input_error(error, BatchRow) from None
