"""A result as plain JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from biblicus_context.assembly.result.cache_marks import CacheMark
from biblicus_context.assembly.result.citations import Citation
from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.assembly.result.spans import PartSpan
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError
from biblicus_context.text.messages.framing import Framing

_FIX = "Pass what to_json() returned, or its text."


class StablePrefix(BaseModel):
    """Of the system prompt: what is the same in every call."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    characters: int = Field(default=0, description="How long it is.")
    evidence_follows: bool = Field(default=False, description="Whether evidence comes after it.")


class StoredResult(BaseModel):
    """A result of an assembly: what to send, and the account of it."""

    # Built when a result is first stored: most programs never do, and all would wait.
    model_config = ConfigDict(
        frozen=True, extra="ignore", title="ContextAssemblyResult", defer_build=True
    )

    context: str = Field(default="", description="The context that was assembled.")
    fingerprint: str = Field(
        default="", description="The same for the same plan, inputs and evidence."
    )
    token_count: int = Field(description="The exact count of the messages.")
    estimated: bool = Field(
        default=False, description="Whether counts are estimates with a margin."
    )
    system_prompt: str = Field(description="Leading system texts.")
    history: list[dict[str, Any]] = Field(description="What is between prompt and user message.")
    user_message: str = Field(description="The last user text of the plan, or the caller's.")
    messages: list[dict[str, Any]] = Field(description="Everything to send, in order.")
    framing: Framing = Field(
        default_factory=Framing, description="What the model's message format adds to texts."
    )
    receipt: Receipt = Field(description="The account of every token.")
    citations: tuple[Citation, ...] = Field(default=(), description="The evidence that is placed.")
    spans: tuple[PartSpan, ...] = Field(
        default=(), description="Where each part is in the messages."
    )
    cache_marks: tuple[CacheMark, ...] = Field(
        default=(), description="Where parts marked `cache: true` end."
    )
    prefix: StablePrefix = Field(
        default_factory=StablePrefix, description="What a provider's cache can keep."
    )

    def as_json(self) -> dict[str, Any]:
        """Plain values, without timings: the same call gives the same JSON."""
        values = {
            **self.model_dump(mode="json", exclude={"history", "messages", "framing", "receipt"}),
            # As they are: a copy through JSON's types would cost more than the assembly.
            "history": self.history,
            "messages": self.messages,
            "framing": {**asdict(self.framing), "estimated": list(self.framing.estimated)},
            "receipt": self.receipt.to_json(),
        }
        return {name: values[name] for name in type(self).model_fields}


def stored_from(value: object) -> StoredResult:
    """The result in plain values, or in their JSON text."""
    if isinstance(value, str | bytes):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise InputError(f"this is not JSON ({error})", fix=_FIX) from None
    if not isinstance(value, Mapping):
        raise InputError("this is not a result", found=type(value).__name__, fix=_FIX)
    try:
        return StoredResult.model_validate(dict(value))
    except ValidationError as error:
        raise InputError(f"this is not a result: {first_invalid(error)}", fix=_FIX) from None
