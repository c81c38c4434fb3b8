"""A result as JSON keeps it: what `render --format json` writes."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from biblicus_context.assembly.result.receipt import Receipt


class Saved(BaseModel):
    """One assembly: the messages and the account of them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    messages: list[dict[str, Any]]
    receipt: Receipt
