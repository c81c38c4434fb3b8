"""The only file that imports pydantic-ai."""

from __future__ import annotations

from typing import Any

from biblicus_context.errors import MissingExtraError


def messages_of_library() -> Any:
    """Pydantic-ai's module of messages."""
    try:
        from pydantic_ai import messages  # an optional library
    except ImportError as error:
        raise _missing() from error
    return messages


def tools_of_library() -> Any:
    """Pydantic-ai's module of tools."""
    try:
        from pydantic_ai import tools  # an optional library
    except ImportError as error:
        raise _missing() from error
    return tools


def _missing() -> MissingExtraError:
    return MissingExtraError("pydantic-ai-slim", "pydantic-ai")
