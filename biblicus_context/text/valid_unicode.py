"""Text fields that every encoder accepts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from biblicus_context.base.surrogates import replaced


def sound(value: object) -> object:
    """Text with U+FFFD for each lone surrogate, and any other value unchanged."""
    return replaced(value) if isinstance(value, str) and not value.isascii() else value


Text = Annotated[str, BeforeValidator(sound)]
"""A text field with lone surrogates replaced; pydantic alone would refuse the whole text."""
