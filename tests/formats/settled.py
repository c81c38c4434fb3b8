"""What an SDK's own types leave of something that is to be sent."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, TypeAdapter


def accepted(adapter: TypeAdapter[Any], sent: Any) -> Any:
    """What is left of it behind an SDK's types, which leave out what they do not know."""
    return settled(adapter.validate_python(sent))


def settled(value: Any) -> Any:
    """The same with every list there: `Iterable` in a type is checked only while it is read."""
    if isinstance(value, dict):
        return {key: settled(item) for key, item in value.items()}
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_unset=True)
    if isinstance(value, str | int | float | None):
        return value
    return [settled(item) for item in value]
