"""A result as JSON keeps it, written by `render --format json` or `to_json()`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import LoadError
from biblicus_context.text.messages.framing import Framing


class SavedResult(BaseModel):
    """One assembly: the messages and the account of them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    messages: list[dict[str, Any]]
    receipt: Receipt
    framing: Framing | None = None
    """None: that of the receipt's model."""


def saved_from(result: ContextAssemblyResult) -> SavedResult:
    """What a comparison needs of a result."""
    return SavedResult(messages=result.messages, receipt=result.receipt, framing=result.framing)


def saved_in(value: object, file: str) -> SavedResult:
    """The result that a JSON file holds."""
    try:
        return SavedResult.model_validate(value)
    except ValidationError as error:
        raise LoadError(
            f"not a saved result: {first_invalid(error)}",
            file=file,
            fix="Save one with: biblicus-context render NAME --format json > FILE",
        ) from None
