"""The one place that imports pydantic-ai."""

from __future__ import annotations

from typing import Any

from biblicus_context.errors import MissingExtraError


def messages_of_library() -> Any:
    """The module that has pydantic-ai's message classes."""
    try:
        from pydantic_ai import messages  # noqa: PLC0415 - an optional library
    except ImportError as error:
        raise MissingExtraError("pydantic-ai-slim", "pydantic-ai") from error
    return messages
