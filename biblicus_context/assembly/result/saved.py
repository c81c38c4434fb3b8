"""A result as JSON keeps it, written by `render --format json` or `to_json()`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.base.doors import door
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import LoadError
from biblicus_context.text.messages.framing import Framing

_FORMER_NAMES: Final = {"tokens_before": "asked", "tokens_after": "given"}
"""Fields of a receipt that had other names when older results were saved."""


class SavedResult(BaseModel):
    """One assembly: the messages and the account of them."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    messages: list[dict[str, Any]]
    receipt: Receipt
    framing: Framing | None = None
    """None: that of the receipt's model."""

    @field_validator("receipt", mode="before")
    @classmethod
    def _in_present_names(cls, receipt: object) -> object:
        return _renamed(receipt)


def _renamed(value: object) -> object:
    if isinstance(value, Mapping):
        return {_FORMER_NAMES.get(key, key): _renamed(entry) for key, entry in value.items()}
    return [*map(_renamed, value)] if isinstance(value, list) else value


@door
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
