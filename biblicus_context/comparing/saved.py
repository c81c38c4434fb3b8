"""A result as a file keeps it: what `render --format json` writes and `diff` reads."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from biblicus_context.assembly.receipt import Receipt
from biblicus_context.assembly.result import ContextAssemblyResult
from biblicus_context.errors import LoadError


class Saved(BaseModel):
    """One assembly: the messages and the account of them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    messages: list[dict[str, Any]]
    receipt: Receipt


def saved_from(result: ContextAssemblyResult) -> Saved:
    """What is compared of a result."""
    return Saved(messages=result.messages, receipt=result.receipt)


def saved_in(value: object, file: str) -> Saved:
    """A saved result; what is none is refused."""
    try:
        return Saved.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "result"
        raise LoadError(
            f"not a saved result: {where}: {first['msg']}",
            file=file,
            fix="Save one with: biblicus-context render NAME --format json > FILE",
        ) from None
