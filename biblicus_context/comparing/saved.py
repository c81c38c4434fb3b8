"""A result as a file keeps it, for `diff`."""

from __future__ import annotations

from pydantic import ValidationError

from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.result.saved import Saved
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import LoadError


def saved_from(result: ContextAssemblyResult) -> Saved:
    """What is compared of a result."""
    return Saved(messages=result.messages, receipt=result.receipt)


def saved_in(value: object, file: str) -> Saved:
    """A saved result; what is none is refused."""
    try:
        return Saved.model_validate(value)
    except ValidationError as error:
        raise LoadError(
            f"not a saved result: {first_invalid(error)}",
            file=file,
            fix="Save one with: biblicus-context render NAME --format json > FILE",
        ) from None
